/**
 * Every refusal of agent mode, on the wire: each line is a real request that earns one status and code. A row that declares a refusal
 * without a line fails, so each part of agent mode brings its own lines to {@link LINES}.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { expectProblem } from "../fixtures/problems.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import type { ErrorLine } from "./errors/error-line.ts"
import { FOUNDATION_LINES } from "./errors/foundation-lines.ts"
import { PLANNING_LINES } from "./errors/planning-lines.ts"
import { BEACON_LINES, SALES_LINES } from "./errors/sales-lines.ts"
import { openSituations, type Situations } from "./errors/situations.ts"
import { WALLET_LINES } from "./errors/wallet-lines.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(20_000)

const LINES: readonly ErrorLine[] = [
  ...FOUNDATION_LINES,
  ...PLANNING_LINES,
  ...WALLET_LINES,
  ...SALES_LINES,
  ...BEACON_LINES,
]

let situations: Situations
beforeAll(async () => {
  situations = await openSituations()
})
afterAll(() => situations[Symbol.asyncDispose]())

describe.each([...new Set(LINES.map(({ row }) => row.id))])("%s", (id) => {
  const lines = LINES.filter(({ row }) => row.id === id)
  test.each(lines.map((line) => [`${line.status} ${line.code}`, line] as const))("%s", async (_name, line) => {
    const { row, status, code } = line
    const answer = await line.ask(situations[line.on])
    const headers = new Headers(answer.headers)
    const problem = await expectProblem(answer, status, code)
    expect(row.responses[status]).toBeDefined()
    // A caller knows the contract also of a refusal, and when to come again.
    for (const [name, value] of Object.entries(row.headers ?? {})) expect(headers.get(name)).toBe(value)
    if (status === 429 || status === 503) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
    if (status === 401) expect(headers.get("www-authenticate")).toMatch(/^SvcAgentSignature realm="/)
    expect(problem.next_machine_action).not.toBe("")
  })
})

test("each refusal that a served row of agent mode declares has a line", () => {
  const rows = situations.on.service.service.shell.served
    .rows()
    .filter(({ path }) => path.startsWith("/v1/agent-mode/"))
  expect(rows.length).toBeGreaterThan(14)
  const produced = new Set(LINES.map(({ row, status }) => `${row.id} ${status}`))
  const declared = rows.flatMap(({ id, responses }) =>
    Object.keys(responses)
      .filter((status) => Number(status) >= 400)
      .map((status) => `${id} ${status}`),
  )
  expect(declared.filter((refusal) => !produced.has(refusal))).toEqual([])
})
