/** A server whose free disk lies between the two floors: free calls write nothing, and a buyer pays and gets the answer. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { statSync } from "node:fs"
import { join } from "node:path"
import { freeBytes, MEGABYTE } from "../../src/store/free-writes/free-disk.ts"
import { enrolmentRequest, makeAgentKeys } from "../fixtures/agent.ts"
import { run } from "../fixtures/binary.ts"
import { openTestOperator, paymentFor, present, SCENARIO_MS, type TestOperator } from "../fixtures/test-operator.ts"

setDefaultTimeout(SCENARIO_MS)

let operator: TestOperator
beforeAll(async () => {
  operator = await openTestOperator()
})
afterAll(() => operator[Symbol.asyncDispose]())

const bytesOf = (data: string) =>
  ["bizauth.db", "bizauth.db-wal"].reduce(
    (sum, file) => sum + (statSync(join(data, file), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )

test("between the floors 1,000 free calls write nothing, a buyer gets its decision, and check says so", async () => {
  const signed = await operator.sign()
  // More is free than sales need, and less than twice that.
  const floor = String(Math.floor((0.7 * freeBytes(operator.data)) / MEGABYTE))
  const server = await operator.serve(["--disk-free-min-mb", floor, "--rate-limits", "off"])
  const flood = async () => {
    const answer = await fetch(`${server.origin}/v1/agent-identities/challenges`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(enrolmentRequest(makeAgentKeys())),
    })
    return `${answer.status} ${((await answer.json()) as { code: string }).code}`
  }
  expect(await flood()).toBe("503 DISK_RESERVED")
  const before = bytesOf(operator.data)
  for (let n = 0; n < 20; n++) {
    const answers = await Promise.all(Array.from({ length: 50 }, flood))
    expect(new Set(answers)).toEqual(new Set(["503 DISK_RESERVED"]))
  }
  // The loops of the service write a little beside: far less than a thousand challenges.
  expect(bytesOf(operator.data) - before).toBeLessThan(400_000)

  const header = await paymentFor(server.origin, signed)
  expect((await present(server.origin, signed, header)).statuses.at(-1)).toBe(200)
  const checked = await run(["check", "--data", operator.data, "--offline", "--json", "--disk-free-min-mb", floor])
  const { lines } = JSON.parse(checked.out) as { lines: { area: string; name: string; state: string }[] }
  expect(lines.filter(({ area }) => area === "shares").map(({ name, state }) => `${name} ${state}`)).toEqual([
    "free writes PROBLEM",
    "caps OK",
  ])
})
