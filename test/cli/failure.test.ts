/** What a failed command writes to stderr. */
import { expect, test } from "bun:test"
import { CommandError, EXIT } from "../../src/base/exit.ts"
import { failureOf } from "../../src/cli/failure.ts"

const HOSTILE = "\u001b[2J\u009b31m\u202e.\u2028\r"
const UNPRINTABLE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u
const SHOWN = "\\u{1b}[2J\\u{9b}31m\\u{202e}.\\u{2028}\\u{d}"

test.each([
  ["a sentence", false, `bizauth: two lines:\n${SHOWN}\n`],
  [
    "JSON",
    true,
    `${JSON.stringify({ version: 1, error: { exit: 3, code: "INVALID", message: `two lines:\n${SHOWN}` } })}\n`,
  ],
])("a refusal as %s shows the marks of a stranger's text and keeps its lines", (_form, asJson, text) => {
  const error = new CommandError(EXIT.INVALID, `two lines:\n${HOSTILE}`)
  expect(failureOf(error, asJson)).toEqual({ exit: EXIT.INVALID, text })
})

test("a bug is printed with its stack, and shows the marks of a stranger's text too", () => {
  const { exit, text } = failureOf(new TypeError(HOSTILE), false)
  expect([exit, text.split("\n")[0]]).toEqual([EXIT.BUG, `bizauth: TypeError: ${SHOWN}`])
  expect(text.split("\n").length).toBeGreaterThan(2)
  expect(text).not.toMatch(UNPRINTABLE)
})
