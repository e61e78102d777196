/** Every remediation that a policy of any version names has its row, and every row can be followed. */
import { describe, expect } from "bun:test"
import { REMEDIES } from "../../src/catalogue/remedies.ts"
import { readInput } from "../../src/cli/command.ts"
import { commands, findCommand } from "../../src/cli/commands.ts"
import { PUBLISHED_POLICIES } from "../../src/products/published-policies.ts"
import { OPERATIONS } from "../fixtures/operations.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { shellWords } from "../fixtures/typed-lines.ts"

const test = slowTests(import.meta.path)

test("the rows are those of the policies, each once, in alphabetical order", () => {
  const named = PUBLISHED_POLICIES.flatMap(({ document, uncharged }) =>
    [...document.reasons, ...uncharged].map(({ remediation }) => remediation),
  )
  const codes = [...new Set(named)].filter((code) => code !== "").toSorted()
  expect(REMEDIES.map(({ code }) => code)).toEqual(codes)
})

describe("each row can be followed", () => {
  test.each(REMEDIES.map((one) => [one.code, one] as const))("%s", async (_, { words, way, who, isBoughtAgain }) => {
    expect(words).toMatch(/^[A-Z].{20,}\.$/)
    if (who === "NOBODY") expect(isBoughtAgain).toBe(false)
    const [program, ...rest] = shellWords(way)
    if (program !== "bizauth") {
      const served = OPERATIONS.map(({ method, path }) => `${method} ${path}`)
      expect(served).toContain(way)
      return
    }
    const found = findCommand(rest)
    if (!found) throw new Error(`no command: ${way}`)
    const { command } = await found.load()
    const terminal = { out: () => {}, err: () => {}, environment: {}, commands }
    expect(() => readInput(command, found.rest, terminal)).not.toThrow()
  })
})

test("a buyer or a supplier has no data directory, so their ways need none", () => {
  const theirs = REMEDIES.filter(({ who }) => who === "BUYER" || who === "SUPPLIER")
  expect(theirs.length).toBeGreaterThan(20)
  expect(theirs.filter(({ way }) => way.includes("--data")).map(({ code }) => code)).toEqual([])
})
