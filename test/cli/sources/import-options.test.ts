/** The statements that an operator may make about imported files, and the ones that are rejected as wrong arguments. */
import { describe, expect, test } from "bun:test"
import { CommandError, EXIT } from "../../../src/base/exit.ts"
import { type Command, readInput } from "../../../src/cli/command.ts"
import { IMPORT_FLAGS, importOptions } from "../../../src/cli/sources/import-options.ts"

const RETRIEVED = Date.UTC(2026, 10, 20, 12)
const command: Command = {
  name: "import",
  summary: "",
  operands: "",
  flags: IMPORT_FLAGS,
  examples: ["import"],
  run: () => Promise.resolve(EXIT.DONE),
}

function optionsOf(...argv: readonly string[]) {
  const terminal = { out: () => {}, err: () => {}, environment: {} }
  return importOptions(readInput(command, argv, terminal), RETRIEVED)
}

function refusal(...argv: readonly string[]): { exit: number; message: string } | null {
  try {
    optionsOf(...argv)
    return null
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { exit: error.exit, message: error.message }
  }
}

describe("--published-at", () => {
  test("accepts a time up to the retrieval time", () => {
    expect(optionsOf("--published-at", "2026-11-20T12:00:00Z").publishedAt).toBe(RETRIEVED)
    expect(optionsOf("--published-at", "2026-11-20T13:00:00+01:00").publishedAt).toBe(RETRIEVED)
    expect(optionsOf().publishedAt).toBeNull()
  })

  test("later than the retrieval time is rejected, and the error names that time", () => {
    expect(refusal("--published-at", "2026-11-20T12:00:00.001Z")).toEqual({
      exit: EXIT.USAGE,
      message: "--published-at must not be later than the files were retrieved: 2026-11-20T12:00:00.000Z",
    })
  })

  test.each(["", "yesterday", "2026-11-20", "2026-11-20T12:00:00", "2026-02-30T00:00:00Z", "1763640000"])(
    "of %j is rejected because it is not a date-time",
    (text) => {
      const message = "--published-at must be an RFC 3339 date-time"
      expect(refusal("--published-at", text)).toEqual({ exit: EXIT.USAGE, message })
    },
  )
})

describe.each(["accept-old", "accept-small"] as const)("--%s", (flag) => {
  const option = flag === "accept-old" ? "acceptOld" : "acceptSmall"

  test("accepts a reason of 1 to 200 characters and trims it", () => {
    expect(optionsOf(`--${flag}`, "  drill of the desk ")[option]).toBe("drill of the desk")
    expect(optionsOf(`--${flag}`, "x".repeat(200))[option]).toBe("x".repeat(200))
    expect(optionsOf()[option]).toBeNull()
  })

  test.each([" ", "two\nlines", "a\u0007bell", "x".repeat(201)])("of %j is rejected", (text) => {
    const message = `--${flag} must be a reason of 1 to 200 characters on one line`
    expect(refusal(`--${flag}`, text)).toEqual({ exit: EXIT.USAGE, message })
  })
})
