/** The journeys route: its answer, its refusals in order, its limits, and that it touches nothing of the live service. */
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test"
import { JOURNEYS_PATH, type JourneyResponse } from "../../../schemas/agent-mode/journeys.ts"
import { JOURNEYS_WAITING_MAX, JourneyQueue } from "../../../src/agent-mode/sandbox/journey-queue.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { verifySignature } from "../../../src/core/ed25519.ts"
import { publicSandboxKey } from "../../../src/keys/sandbox-key.ts"
import { databaseOf } from "../../fixtures/database-of.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import committed from "../../sandbox/journey-digests.json"
import { type AgentService, agentService } from "../agent-service.ts"

let service: AgentService
let off: AgentService
beforeAll(async () => {
  service = await agentService()
  off = await agentService({ sandbox: "off" })
}, 30_000)
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await off[Symbol.asyncDispose]()
})

let serial = 0
const bodyOf = (changes: object = {}) => ({
  schema_version: "1.0.0",
  contract_version: "1.0.0",
  environment: "SANDBOX",
  journey: "UK_SOURCE_UNAVAILABLE",
  seed: 7,
  clock: null,
  idempotency_key: `journey-${++serial}`,
  ...changes,
})

async function ask(body: object, headers: Record<string, string> = {}, of = service) {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  }
  return of.told(await of.send(new Request(BASE_URL + JOURNEYS_PATH, init)))
}

/** Rows that only an effect on the live service would write. */
function rowCounts() {
  const database = databaseOf(service.service.dataDirectory)
  const tables = database.query("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
  return Object.fromEntries(
    tables.map(({ name }) => [name, (database.query(`SELECT count(*) AS n FROM "${name}"`).get() as { n: number }).n]),
  )
}

test("a journey is signed by the sandbox key of the installation, and leaves no trace in the live service", async () => {
  const { keys, store, sources, gbSources, registers } = service.service
  const seams = [
    spyOn(keys, "current"),
    spyOn(keys, "logKey"),
    spyOn(store, "run"),
    spyOn(sources, "index"),
    spyOn(gbSources, "index"),
    spyOn(registers, "find"),
    spyOn(globalThis, "fetch"),
    spyOn(Bun, "connect"),
  ]
  const before = rowCounts()
  const { status, headers, body } = await ask(bodyOf({ journey: "PAYMENT_DECISION_ALLOW" }))
  expect({ status, called: seams.map((seam) => seam.mock.calls.length) }).toEqual({
    status: 200,
    called: seams.map(() => 0),
  })
  for (const seam of seams) seam.mockRestore()
  expect(rowCounts()).toEqual(before)
  expect(headers.get("cache-control")).toContain("no-store")
  expect(headers.get("x-agent-mode-lifecycle")).toBe("ACTIVE")
  const response = body as unknown as JourneyResponse
  const { key_id, public_jwk, agent_id } = await publicSandboxKey(store)
  expect(agent_id).toStartWith("svc:agent:")
  expect(response.signature).toMatchObject({ key_id, issuer: "svc:sandbox" })
  expect(verifySignature(public_jwk.x, canonicalBytes(response.payload), response.signature.value)).toBe(true)
  expect(response.digest).toBe(committed.PAYMENT_DECISION_ALLOW.payload)
  expect(response.artifacts.map(({ digest }) => digest)).toEqual(committed.PAYMENT_DECISION_ALLOW.artifacts)
  expect(new Set(response.artifacts.map(({ signature }) => signature.key_id))).toEqual(new Set([key_id]))
}, 30_000)

test("the three isolations are refused in their order", async () => {
  const agent = await service.enrol()
  const all = {
    environment: "LIVE",
    agent_id: agent.agentId,
    provider: "OTHER",
    journey: "REHEARSAL",
    rehearsal: { product_id: "us.company.check.v1", request: {} },
  }
  const codes: string[] = []
  for (const changes of [
    all,
    { ...all, environment: "SANDBOX" },
    { ...all, environment: "SANDBOX", agent_id: `svc:agent:${"a".repeat(32)}` },
    { ...all, environment: "SANDBOX", agent_id: `svc:agent:${"a".repeat(32)}`, provider: "SYNTHETIC" },
  ]) {
    codes.push((await ask(bodyOf(changes))).refusal)
  }
  expect(codes).toEqual([
    "403 ENVIRONMENT_ISOLATION",
    "403 ENVIRONMENT_ISOLATION",
    "403 PROVIDER_ISOLATION",
    "403 ECONOMIC_ISOLATION",
  ])
  expect((await ask(bodyOf(), {}, off)).refusal).toBe("403 ENVIRONMENT_ISOLATION")
  expect((await ask(bodyOf({ provider: "OTHER" }), {}, off)).refusal).toBe("403 ENVIRONMENT_ISOLATION")
  for (const header of ["payment-signature", "x-payment"]) {
    expect((await ask(bodyOf({ environment: "LIVE" }), { [header]: "x" })).refusal).toBe("403 ECONOMIC_ISOLATION")
  }
})

test.each([
  ["a clock before 2020", { clock: "2019-12-31T23:59:59Z" }, "/clock"],
  ["a clock after 2099", { clock: "2100-01-01T00:00:00Z" }, "/clock"],
  ["a seed over 31 bits", { seed: 2_147_483_648 }, "/seed"],
  ["an unknown journey", { journey: "ANOTHER" }, "/journey"],
  ["an unknown member", { note: "x" }, "/note"],
  [
    "a rehearsal member of another journey",
    { rehearsal: { product_id: "us.company.check.v1", request: {} } },
    "/rehearsal",
  ],
  ["a rehearsal without its member", { journey: "REHEARSAL" }, "/rehearsal"],
])("%s is a fault of the body", async (_name, changes, pointer) => {
  const { refusal, body } = await ask(bodyOf(changes))
  expect(refusal).toBe("422 SCHEMA_INVALID")
  expect((body["errors"] as { pointer: string }[]).map((error) => error.pointer)).toContain(pointer)
})

test("a private key in the body is refused unread", async () => {
  const jwk = { kty: "OKP", crv: "Ed25519", x: "A".repeat(43), d: "A".repeat(43) }
  const { refusal } = await ask(bodyOf({ journey: "REHEARSAL", rehearsal: { product_id: "p", request: { jwk } } }))
  expect(refusal).toBe("422 PRIVATE_KEY_MATERIAL_REJECTED")
})

test("a key takes the same body again, and no other body", async () => {
  const body = bodyOf()
  const [first, again] = [await ask(body), await ask(body)]
  expect([first.status, again.status]).toEqual([200, 200])
  expect(again.body).toEqual(first.body)
  expect((await ask({ ...body, seed: 8 })).refusal).toBe("409 IDEMPOTENCY_CONFLICT")
}, 30_000)

test("one journey runs, eight wait, and the tenth is refused with the time to come back", async () => {
  const queue = new JourneyQueue()
  const order: number[] = []
  let running = 0
  let most = 0
  const release: (() => void)[] = []
  const play = (index: number) => async () => {
    most = Math.max(most, ++running)
    await new Promise<void>((done) => release.push(done))
    order.push(index)
    running--
    if (index === 3) throw new Error("a fault of one journey")
    return index
  }
  const runs = Array.from({ length: 1 + JOURNEYS_WAITING_MAX }, (_, index) =>
    queue.run(`192.0.2.${index}`, play(index)),
  )
  const ended = Promise.allSettled(runs)
  const refused = await queue.run("192.0.2.99", play(99)).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: "RATE_LIMITED", context: { retryAfterSeconds: 2 } })
  for (let i = 0; i < runs.length; i++) {
    while (release.length <= i) await Promise.resolve()
    release[i]?.()
  }
  const results = await ended
  expect({ most, order }).toEqual({ most: 1, order: [0, 1, 2, 3, 4, 5, 6, 7, 8] })
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1)
  const after = queue.run("192.0.2.1", async () => "free")
  expect(await after).toBe("free")
})

test("one address has two journeys waiting, and the last place is for an address that has none", async () => {
  const queue = new JourneyQueue()
  const release: (() => void)[] = []
  const play = () => new Promise<void>((done) => release.push(done))
  const ended: Promise<unknown>[] = []
  const refusals: unknown[] = []
  const run = (client: string) => {
    const result = queue.run(client, play).catch((error: { context: { reasonCodes: string[] } }) => {
      refusals.push(...error.context.reasonCodes)
    })
    ended.push(result)
    return result
  }
  for (let at = 0; at < 3; at++) void run("192.0.2.1")
  await run("192.0.2.1")
  expect(refusals).toEqual(["JOURNEYS_OF_ADDRESS"])
  for (let at = 2; at < 7; at++) void run(`192.0.2.${at}`)
  await run("192.0.2.2")
  expect(refusals.at(-1)).toBe("JOURNEYS_OF_ALL")
  void run("192.0.2.99")
  await run("192.0.2.98")
  expect(refusals).toEqual(["JOURNEYS_OF_ADDRESS", "JOURNEYS_OF_ALL", "JOURNEYS_OF_ALL"])
  while (release.length < ended.length - refusals.length) {
    release.at(-1)?.()
    await Promise.resolve()
  }
  release.at(-1)?.()
  await Promise.all(ended)
})
