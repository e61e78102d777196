/** The published client changes and revokes keys at the real identity routes, and loses answers on the way. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type * as declared from "../../../src/agent/module/client.d.ts"
import { keyIdOf } from "../../../src/core/jwk.ts"
import { publishedClient } from "../../../src/discovery/published-client.ts"
import { findIdentity } from "../../../src/store/identity/agent-identity.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { BASE_URL, openService, type Service } from "../../products/agent-id/service.ts"

const test = slowTests(import.meta.path)
const workspace = freshDirectory()

let module: typeof declared
let service: Service
let client: declared.Client
/** The keys on the caller's disk, and everything that was written there. */
let stored: declared.AgentKeys
let writes: declared.AgentKeys[]
/** Answers are lost while this is true. */
let isLosing = false

const save = (keys: declared.AgentKeys) => {
  stored = JSON.parse(JSON.stringify(keys)) as declared.AgentKeys
  writes.push(stored)
}

beforeAll(async () => {
  const { client: text, verifier } = publishedClient()
  writeFileSync(join(workspace.path, "client.mjs"), text)
  writeFileSync(join(workspace.path, "verifier.mjs"), verifier)
  module = (await import(join(workspace.path, "client.mjs"))) as typeof declared
})
afterAll(() => workspace[Symbol.dispose]())

beforeEach(async () => {
  service = await openService()
  client = clientOf(BASE_URL)
  writes = []
  isLosing = false
  await client.enrol(module.createKeys(), save)
  writes = []
  service.clock.at += 1000
})
afterEach(() => service.close())

function clientOf(server: string) {
  const send = async (request: Request) => {
    const answer = await service.send(request)
    if (isLosing && request.url.endsWith("/prove")) throw new TypeError("connection reset")
    return answer
  }
  return module.createClient({ server, store: { get: () => null, add: () => undefined }, fetch: send })
}

async function inForce() {
  const identity = await service.store.read(() => findIdentity(stored.agent_id ?? ""))
  const active = (role: string) => identity?.keys.find((key) => key.role === role && key.status === "ACTIVE")?.keyId
  return { operational: active("OPERATIONAL"), recovery: active("RECOVERY"), sequence: identity?.sequence }
}
const idOf = (key: declared.PrivateJwk) => keyIdOf(key.x)
const failure = (call: Promise<unknown>) =>
  call.then(
    () => "no error",
    (error: declared.ClientError) => `${error.name} ${error.code}`,
  )

test("the committed key takes the place of the operational key, and a new one is committed", async () => {
  const before = stored
  const after = await client.rotate(stored, save)
  expect(after).toEqual(stored as typeof after)
  expect(stored.operational).toEqual(before.next!)
  expect([stored.recovery, stored.next === before.next]).toEqual([before.recovery, false])
  expect(await inForce()).toEqual({
    operational: idOf(stored.operational),
    recovery: idOf(before.recovery),
    sequence: 1,
  })
})

test("the new keys are stored before the proof is sent", async () => {
  await client.rotate(stored, save, { key: "RECOVERY" })
  expect(writes.length).toBe(2)
  const [first, last] = writes as [declared.AgentKeys, declared.AgentKeys]
  expect(Object.keys(first["pending_keys"] as object)).toEqual(["recovery"])
  expect(last.recovery).toEqual((first["pending_keys"] as { recovery: declared.PrivateJwk }).recovery)
  expect([last["pending"], last["pending_keys"]]).toEqual([undefined, undefined])
  expect(await inForce()).toMatchObject({ recovery: idOf(last.recovery), sequence: 1 })
})

const CHANGES: readonly (readonly [name: string, make: () => Promise<declared.AgentKeys>])[] = [
  ["the operational key", () => client.rotate(stored, save)],
  ["the recovery key", () => client.rotate(stored, save, { key: "RECOVERY" })],
  ["the operational key, by the recovery key", () => client.rotate(stored, save, { signedBy: "RECOVERY" })],
  ["a revocation of the key", () => client.revoke(stored, save, { what: "OPERATIONAL" })],
  ["a revocation of the identity", () => client.revoke(stored, save, { what: "IDENTITY", reason: "SUPERSEDED" })],
]

test.each(CHANGES)("after a lost answer the same call settles %s, and nothing changes twice", async (_, make) => {
  isLosing = true
  expect(await failure(make())).toBe("ClientError TRY_AGAIN")
  expect(stored["pending"]).toBeDefined()
  isLosing = false
  const after = await make()
  expect(after["pending"]).toBeUndefined()
  const { operational, recovery, sequence } = await inForce()
  expect(sequence).toBe(1)
  expect(operational).toBe(after["revoked"] === undefined ? idOf(after.operational) : undefined)
  expect(recovery).toBe(after["revoked"] === "IDENTITY" ? undefined : idOf(after.recovery))
})

test("if the keys cannot be stored, nothing signed is sent", async () => {
  const full = () => Promise.reject(new Error("disk full"))
  const before = await inForce()
  expect(await failure(client.rotate(stored, full))).toBe("Error undefined")
  expect(await inForce()).toEqual(before)
  await client.rotate(stored, save)
  expect(await inForce()).toMatchObject({ sequence: 1 })
})

test("a revoked key is replaced with the recovery key, which may say since when it was in other hands", async () => {
  const since = new Date(service.clock.at).toISOString()
  service.clock.at += 60_000
  await client.revoke(stored, save, {
    what: "OPERATIONAL",
    signedBy: "RECOVERY",
    reason: "KEY_COMPROMISE",
    compromisedSince: since,
  })
  expect(await inForce()).toMatchObject({ operational: undefined })
  expect(await failure(client.rotate(stored, save))).toMatch(/^ClientError (USAGE|REFUSED)$/)
  await client.rotate(stored, save, { signedBy: "RECOVERY" })
  expect(await inForce()).toMatchObject({ operational: idOf(stored.operational) })
})

test("an impossible change is refused before anything is sent", async () => {
  const since = "2026-03-01T12:00:00Z"
  const ended = { ...stored, revoked: "IDENTITY" }
  const calls = [
    client.rotate(module.createKeys(), save),
    client.rotate(stored, save, { compromisedSince: since }),
    client.rotate(stored, save, { signedBy: "RECOVERY", compromisedSince: "yesterday" }),
    client.rotate(stored, save, { key: "RECOVERY", signedBy: "RECOVERY", compromisedSince: since }),
    client.revoke(stored, save, { what: "IDENTITY", signedBy: "RECOVERY", compromisedSince: since }),
    client.revoke(stored, save, { what: "ALL" as "IDENTITY" }),
    client.rotate(stored, save, { key: "recovery" as "RECOVERY" }),
    client.rotate(stored, save, { signedBy: "recovery" as "RECOVERY" }),
    client.revoke(stored, save, { what: "OPERATIONAL", signedBy: "NEXT" as "RECOVERY" }),
    client.rotate(ended, save),
    clientOf("https://other.example").rotate(stored, save),
  ]
  for (const call of calls) expect(await failure(call)).toBe("ClientError USAGE")
  expect(writes).toEqual([])
  expect(await inForce()).toMatchObject({ sequence: 0 })
})

test("a challenge for another change than the wanted one is not signed", async () => {
  const other = await service.send(
    new Request(`${BASE_URL}/v1/agent-identities/challenges`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...{ schema_version: "1.0.0", agent_id: stored.agent_id, purpose: "REVOCATION", target: "IDENTITY" },
        ...{ mode: "RECOVERY", reason: "UNSPECIFIED" },
      }),
    }),
  )
  const forged = (await other.json()) as { challenge: object }
  const answers = [forged, { challenge: { ...forged.challenge, more: 1 } }, { challenge: {} }, {}]
  for (const answer of answers) {
    const send = async () => Response.json(answer, { status: 201 })
    const lying = module.createClient({
      server: BASE_URL,
      store: { get: () => null, add: () => undefined },
      fetch: send,
    })
    expect(await failure(lying.rotate(stored, save))).toBe("ClientError REFUSED")
  }
  expect(writes).toEqual([])
})
