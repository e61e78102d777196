import { afterEach, beforeEach, expect } from "bun:test"
import { join } from "node:path"
import type { AgentSignatureVerification } from "../../../schemas/agent-id/signature-outcomes.ts"
import { unlimited } from "../../../src/http/rate-limit.ts"
import { KEPT_SIGNERS_MAX, KeptSigners } from "../../../src/products/agent-id/kept-signers.ts"
import type { Store, Unit } from "../../../src/store/engine/unit.ts"
import type { TestAgent } from "../../fixtures/agent.ts"
import { freshNonce, signedStatement } from "../../fixtures/signed-statement.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { openWithAgent, type Service } from "./service.ts"

const test = slowTests(import.meta.path)

const PATH = "/v1/agent-signatures/verify"

let service: Service
let agent: TestAgent
beforeEach(async () => {
  ;({ service, agent } = await openWithAgent({ limiter: unlimited }))
})
afterEach(() => service.close())

const signed = (at = service.clock.at) => signedStatement(agent, at)

/** The child of `moving-key.ts`; `move` resolves once its commit was acknowledged. */
function otherProcess() {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "moving-key.ts"), service.address], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const reader = child.stdout.getReader()
  const move = async (status: string) => {
    child.stdin.write(`${status}\n`)
    child.stdin.flush()
    const { value } = await reader.read()
    return new TextDecoder().decode(value).trim()
  }
  const end = async () => {
    child.stdin.write("end\n")
    child.stdin.end()
    await child.exited
  }
  return { move, end }
}

test("the next verification sees a revocation that another process committed, even during other verifications", async () => {
  await using server = service.listen()
  const { move, end } = otherProcess()
  const verify = async () => {
    const answer = await fetch(server.origin + PATH, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(signed()),
    })
    return ((await answer.json()) as AgentSignatureVerification).outcomes.lifecycle.key_status
  }
  let isBusy = true
  const others = Array.from({ length: 8 }, async () => {
    while (isBusy) await verify()
  })
  const wrong: string[] = []
  for (let round = 1; round <= 100; round++) {
    const status = round % 2 === 0 ? "ACTIVE" : "REVOKED"
    expect(await move(status)).toBe(status)
    const seen = await Promise.all([verify(), verify()])
    if (seen.some((one) => one !== status)) wrong.push(`round ${round}: ${seen} instead of ${status}`)
  }
  isBusy = false
  await Promise.all(others)
  await end()
  expect(wrong).toEqual([])
})

/**
 * The store, with its statements counted, and with versions that the test gives: every database of a server shares its versions, so those of
 * PostgreSQL change by commits of other tests.
 */
function counting(store: Store) {
  const count = { statements: 0, version: 1 }
  function* counted<T>(unit: Unit<T>): Unit<T> {
    let step = unit.next()
    while (!step.done) {
      count.statements++
      step = unit.next(yield step.value)
    }
    return step.value
  }
  const counter = {
    readTogether: <T>(unit: (version: number) => Unit<T>) => store.readTogether(() => counted(unit(count.version))),
  } as Store
  const committed = () => void count.version++
  return { signers: new KeptSigners(counter), statements: () => count.statements, committed }
}

const question = (given: { agentId?: string; keyId?: string; statement?: null } = {}) => ({
  agentId: agent.agentId,
  keyId: agent.operational.keyId,
  statement: { nonceDigest: freshNonce(), digest: freshNonce() },
  at: new Date(service.clock.at).toISOString(),
  ...given,
})

test("without a new commit a verification costs one statement, and one without a statement costs none", async () => {
  const { signers, statements, committed } = counting(service.store)
  const first = await signers.factsOf(question())
  expect(first).toMatchObject({ identityStatus: "ACTIVE", key: { status: "ACTIVE" }, recordId: null })
  expect(statements()).toBe(2)
  for (let n = 0; n < 10; n++) expect(await signers.factsOf(question())).toEqual(first)
  expect(statements()).toBe(12)
  expect(await signers.factsOf(question({ statement: null }))).toEqual(first)
  expect(statements()).toBe(12)
  // Any commit makes the key be read again, even one that does not concern the agent.
  await service.enrolled()
  committed()
  expect(await signers.factsOf(question())).toEqual(first)
  expect(statements()).toBe(14)
})

test("a key is never returned for another agent, and an unknown key is looked up each time", async () => {
  const { signers, statements, committed } = counting(service.store)
  await signers.factsOf(question())
  const { result } = await service.enrolled()
  committed()
  const other = result.agent_id
  await signers.factsOf(question())
  const requests = statements()
  expect(await signers.factsOf(question({ agentId: other }))).toMatchObject({ key: null })
  expect(await signers.factsOf(question({ agentId: other }))).toMatchObject({ key: null })
  expect(statements()).toBe(requests + 4)
  expect(await signers.factsOf(question({ agentId: `svc:agent:${"n".repeat(32)}` }))).toBeNull()
  expect(await signers.factsOf(question({ agentId: `svc:agent:${"n".repeat(32)}` }))).toBeNull()
  expect(statements()).toBe(requests + 6)
  expect(await signers.factsOf(question())).toMatchObject({ key: { x: agent.operational.x } })
  expect(statements()).toBe(requests + 7)
})

test("the status of a key comes from the same read view as its records", async () => {
  const signers = new KeptSigners(service.store)
  const requests = question()
  await signers.factsOf(requests)
  await service.write("UPDATE agent_key SET status = 'ROTATED', until = since")
  await service.write(
    "INSERT INTO signature_nonce (nonce_digest, record_id, agent_id, expires_at) VALUES (?, 'r', ?, '9999-01-01T00:00:00.000Z')",
    requests.statement?.nonceDigest ?? "",
    agent.agentId,
  )
  expect(await signers.factsOf(requests)).toMatchObject({ key: { status: "ROTATED" }, recordId: "r" })
})

test("the cache holds at most the limit, and a dropped key is read again", async () => {
  let searches = 0
  const key = { x: "", role: "OPERATIONAL", status: "ACTIVE", since: "", until: null, compromisedSince: null }
  const signers = new KeptSigners({
    readTogether: async <T>(unit: (version: number) => Unit<T>) => {
      const running = unit(1)
      let step = running.next()
      while (!step.done) {
        searches++
        step = running.next([{ identityStatus: "ACTIVE", headEventDigest: "", restores: null, ...key }])
      }
      return step.value
    },
  } as unknown as Store)
  const find = (n: number) => signers.factsOf(question({ keyId: `ed25519-${n}`, statement: null }))
  for (let n = 0; n <= KEPT_SIGNERS_MAX; n++) await find(n)
  expect(searches).toBe(KEPT_SIGNERS_MAX + 1)
  await find(KEPT_SIGNERS_MAX)
  expect(searches).toBe(KEPT_SIGNERS_MAX + 1)
  await find(0)
  expect(searches).toBe(KEPT_SIGNERS_MAX + 2)
})
