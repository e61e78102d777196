/** A server whose free disk lies between the two floors: free calls write nothing, a buyer gets the answer and a leaver leaves. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { statSync } from "node:fs"
import { join } from "node:path"
import type { AgentIdentityChallenge } from "../../schemas/agent-id/challenge.ts"
import { readKeyFile } from "../../src/agent/key-file.ts"
import { signingKey } from "../../src/agent/keys.ts"
import { freeBytes, MEGABYTE } from "../../src/store/free-writes/free-disk.ts"
import { CHANNEL_PATH } from "../contact/contact-service.ts"
import { enrolmentRequest, makeAgentKeys } from "../fixtures/agent.ts"
import { run } from "../fixtures/binary.ts"
import { openTestOperator, paymentFor, present, SCENARIO_MS, type TestOperator } from "../fixtures/test-operator.ts"
import { CHALLENGES, proofBy, revocation } from "../products/agent-id/key-changes.ts"
import { provePath } from "../products/agent-id/service.ts"

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

test("between the floors 1,000 free calls write nothing, a buyer gets its decision, a leaver leaves, and check says so", async () => {
  const signed = await operator.sign()
  // More is free than sales need, and less than twice that.
  const floor = String(Math.floor((0.7 * freeBytes(operator.data)) / MEGABYTE))
  const proxied = ["--trusted-proxies", "127.0.0.1", "--rate-limits", "off"]
  const server = await operator.serve(["--disk-free-min-mb", floor, ...proxied])
  const post = (path: string, body: unknown, client: string) =>
    fetch(server.origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": client },
      body: JSON.stringify(body),
    })
  const flood = async (n: number) => {
    const answer = await post(CHALLENGES, enrolmentRequest(makeAgentKeys()), `203.0.113.${n % 200}`)
    return `${answer.status} ${((await answer.json()) as { code: string }).code}`
  }
  expect(await flood(0)).toBe("503 DISK_RESERVED")
  const before = bytesOf(operator.data)
  for (let n = 0; n < 20; n++) {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => flood(50 * n + at)))
    expect(new Set(answers)).toEqual(new Set(["503 DISK_RESERVED"]))
  }
  // The loops of the service write a little beside: far less than a thousand challenges.
  expect(bytesOf(operator.data) - before).toBeLessThan(400_000)

  const stop = { action: "STOP", reply_to: "leaver@host.example" }
  expect((await post(CHANNEL_PATH, stop, "203.0.113.0")).status).toBe(200)

  const header = await paymentFor(server.origin, signed)
  expect((await present(server.origin, signed, header)).statuses.at(-1)).toBe(200)
  // Last, because the buyer's own agent leaves.
  const { agent_id: agentId, operational, recovery } = readKeyFile(operator.path("agent.json"))
  const issued = await post(CHALLENGES, revocation(agentId ?? ""), "203.0.113.0")
  const challenge = (await issued.json()) as AgentIdentityChallenge
  const signers = { OPERATIONAL: signingKey(operational), RECOVERY: signingKey(recovery) }
  expect((await post(provePath(challenge), proofBy(challenge, signers), "203.0.113.0")).status).toBe(200)

  const checked = await run(["check", "--data", operator.data, "--offline", "--json", "--disk-free-min-mb", floor])
  const { lines } = JSON.parse(checked.out) as { lines: { area: string; name: string; state: string }[] }
  expect(lines.filter(({ area }) => area === "shares").map(({ name, state }) => `${name} ${state}`)).toEqual([
    "free writes PROBLEM",
    "caps OK",
  ])
})
