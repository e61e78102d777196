/** The service's own Agent IDs work like any other: same events, same log, same routes. */
import { expect } from "bun:test"
import { hash } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import type { EventReceiptPayload, EventSignature } from "../../schemas/agent-id/proof.ts"
import { ConfigError } from "../../src/base/config.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { keyFromSeed, verifySignature } from "../../src/core/ed25519.ts"
import { publicJwk } from "../../src/core/jwk.ts"
import { isSignedForm } from "../../src/core/signed-forms.ts"
import type { SignedAnswer } from "../../src/core/signer.ts"
import { DAY } from "../../src/core/time.ts"
import { createDataDirectory, openDataDirectory } from "../../src/data/data-directory.ts"
import { enrolOwnIdentities } from "../../src/keys/own-identity.ts"
import { replaceOwnKey } from "../../src/keys/own-rotation.ts"
import { routes } from "../../src/server/app.ts"
import { keysOfUses, serviceIdentities } from "../../src/store/identity/service-identities.ts"
import { listAllServiceKeys } from "../../src/store/identity/service-keys.ts"
import { readTreeHead } from "../../src/store/log/transparency-log.ts"
import { databaseOf } from "../fixtures/database-of.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { makeOlderDirectory } from "../fixtures/older-directory.ts"
import { BASE_URL, clockAt, testService, testServiceOn } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const START = Date.UTC(2026, 0, 1)
const onFatal = (error: unknown): never => {
  throw error
}
const open = (directory: string, machine = clockAt(START)) =>
  openDataDirectory(directory, { machine, migrate: true, onFatal })

interface EventRow {
  agent_id: string
  sequence: number
  event_digest: string
  event_json: string
  signatures_json: string
  receipt_json: string
}

test("init enrols one identity for each use, and all its data verifies from the rows alone", async () => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  const { enrolled } = await createDataDirectory(directory, "test", clockAt(START), { issuerId: "acme:pay" })
  const opened = await open(directory)
  const rows = databaseOf(opened).query<EventRow, []>("SELECT * FROM agent_event").all()
  const statementX = enrolled.find(({ use }) => use === "statement")?.key.x ?? ""
  expect(rows).toHaveLength(3)
  for (const { use, key, agentId, recoveryKeyId } of enrolled) {
    const row = rows.find((one) => one.agent_id === agentId)
    const event = JSON.parse(row?.event_json ?? "") as KeyEvent
    const sha256 = hash("sha256", row?.event_json ?? "", "buffer")
    expect(agentId).toBe(`svc:agent:${sha256.subarray(0, 24).toString("base64url")}`)
    expect(isSignedForm("KEY_EVENT", event)).toBe(true)
    expect(event).toMatchObject({ audience: `urn:svc:issuer:acme:pay:${use}`, sequence: 0, purpose: "ENROLLMENT" })
    expect([event.keys.operational?.key_id, event.keys.recovery?.key_id]).toEqual([key.keyId, recoveryKeyId])
    const promised = readdirSync(join(opened.paths.keys, "next")).map((name) => name.replace(".json", ""))
    expect(promised.map(commitment)).toContain(event.next_operational_key_digest ?? "")
    for (const { role, value } of JSON.parse(row?.signatures_json ?? "") as EventSignature[]) {
      const by = role === "OPERATIONAL" ? event.keys.operational : event.keys.recovery
      expect(verifySignature(by?.public_jwk.x ?? "", row?.event_json ?? "", value)).toBe(true)
    }
    const receipt = JSON.parse(row?.receipt_json ?? "") as SignedAnswer<EventReceiptPayload>
    expect(isSignedForm("EVENT_RECEIPT", receipt.payload)).toBe(true)
    expect(receipt.payload).toMatchObject({ agent_id: agentId, event_digest: `sha256:${sha256.toString("hex")}` })
    expect(receipt.signature.issuer).toBe("acme:pay")
    expect(verifySignature(statementX, canonicalize(receipt.payload), receipt.signature.value)).toBe(true)
  }
  const places = rows.map(({ receipt_json }) => JSON.parse(receipt_json).payload.log_index as number)
  expect(places.sort()).toEqual([0, 1, 2])
  expect((await opened.store.read(readTreeHead)).size).toBe(3)
  expect(await Bun.file(opened.paths.configuration).text()).toContain('\nissuer_id = "acme:pay"\n')
  await opened.store.close()
})

/** Independent of the code under test: the hash inside a key id, as a digest. */
function commitment(keyId: string): string {
  return `sha256:${Buffer.from(keyId.slice("ed25519-".length), "base64url").toString("hex")}`
}

test("two processes that start on a directory of an earlier release create one identity for each use", async () => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  const keyId = await makeOlderDirectory(directory, START - DAY)
  const opened = [await open(directory), await open(directory)]
  const enrolled = await Promise.all(
    opened.map(({ store, paths }) =>
      enrolOwnIdentities({ store, keysDirectory: paths.keys, issuerId: "svc", machine: clockAt(START) }),
    ),
  )
  expect(enrolled.flat().map(({ use }) => use)).toEqual(["statement", "log", "sandbox"])
  const [{ store, paths }] = opened as [(typeof opened)[number]]
  expect((await store.read(listAllServiceKeys)).map(({ use, status }) => `${use} ${status}`).sort()).toEqual([
    "log ACTIVE",
    "sandbox ACTIVE",
    "statement ACTIVE",
  ])
  expect((await store.read(keysOfUses)).map(({ active }) => active?.keyId)).toContain(keyId)
  for (const directory of ["next", "recovery"]) expect(readdirSync(join(paths.keys, directory))).toHaveLength(3)
  for (const one of opened) await one.store.close()
})

test("a server started on a directory of an earlier release logs once which files to take offline", async () => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  await makeOlderDirectory(directory, START - DAY)
  for (const expected of [3, 0]) {
    const { service, logged } = await testServiceOn(directory, clockAt(START))
    const files = logged.filter(({ event }) => event === "own_identity_enrolled").map((line) => line["take_offline"])
    expect(files).toHaveLength(expected)
    for (const file of files) expect(existsSync(String(file))).toBe(true)
    await service.close()
  }
})

test("another issuer than the one in the identities is rejected before anything is logged under its name", async () => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  await createDataDirectory(directory, "test", clockAt(START), { issuerId: "acme" })
  const { store, paths } = await open(directory)
  const own = { store, keysDirectory: paths.keys, issuerId: "svc", machine: clockAt(START + DAY) }
  const changes = [
    enrolOwnIdentities(own),
    replaceOwnKey(own, "statement", { mode: "ROUTINE" }),
    replaceOwnKey({ ...own, issuerId: "acme:statement" }, "log", { mode: "ROUTINE" }),
  ]
  for (const outcome of await Promise.allSettled(changes)) {
    expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(ConfigError) })
  }
  expect((await store.read(readTreeHead)).size).toBe(3)
  expect((await replaceOwnKey({ ...own, issuerId: "acme" }, "statement", { mode: "ROUTINE" })).kind).toBe("REPLACED")
  await store.close()
})

test("profile, status and jwks work for the service's own identities as for any other", async () => {
  await using running = await testService(clockAt(START))
  const app = routes(running.service)
  const ask = (path: string) => app.handle(new Request(BASE_URL + path))
  const { store, keys } = running.service
  for (const { use, agentId } of await store.read(serviceIdentities)) {
    const { active } = (await store.read(keysOfUses)).find((of) => of.use === use) ?? {}
    const jwks = (await (await ask(`/v1/agent-identities/${agentId}/jwks.json`)).json()) as { keys: { kid: string }[] }
    expect(jwks.keys.map(({ kid }) => kid)).toEqual([active?.keyId ?? ""])
    const profile = await ask(`/v1/agent-identities/${agentId}`)
    expect([profile.status, await profile.json()]).toEqual([
      200,
      expect.objectContaining({ agent_id: agentId, claim: "KEY_CONTROL_ONLY", identity_status: "ACTIVE" }),
    ])
    const status = (await (await ask(`/v1/agent-identities/${agentId}/status`)).json()) as SignedAnswer<object>
    const x = keys.find(status.signature.key_id)?.x ?? ""
    expect(verifySignature(x, canonicalize(status.payload), status.signature.value)).toBe(true)
    expect(status.payload).toMatchObject({ agent_id: agentId, sequence: 0, identity_status: "ACTIVE" })
  }
})

test("log and sandbox keys are never in the published set, in any status (rulings 18)", async () => {
  await using running = await testService(clockAt(START))
  const { store, keys, dataDirectory } = running.service
  const app = routes(running.service)
  const own = { store, keysDirectory: dataDirectory.paths.keys, issuerId: "svc", machine: clockAt(START + DAY) }
  for (const use of ["log", "sandbox"] as const) {
    expect((await replaceOwnKey(own, use, { mode: "ROUTINE" })).kind).toBe("REPLACED")
  }
  const answer = await app.handle(new Request(`${BASE_URL}/.well-known/jwks.json`))
  const published = ((await answer.json()) as { keys: { kid: string; svc_use: string }[] }).keys
  expect(published.map(({ kid, svc_use }) => [kid, svc_use])).toEqual([[keys.current().keyId, "statement"]])
  const others = (await store.read(listAllServiceKeys)).filter(({ use }) => use !== "statement")
  expect(others).toHaveLength(4)
})

test("nobody can change an identity of the service over HTTP with any key, and a stranger's id is still unknown", async () => {
  await using running = await testService(clockAt(START))
  const app = routes(running.service)
  const { x } = keyFromSeed(new Uint8Array(32).fill(77))
  const ask = async (body: object) => {
    const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    const answer = await app.handle(new Request(`${BASE_URL}/v1/agent-identities/challenges`, request))
    return [answer.status, (await answer.json()) as { code: string; reason_codes: string[] }] as const
  }
  const [{ agentId } = { agentId: "" }] = await running.service.store.read(serviceIdentities)
  const rotation = { purpose: "ROTATION", target: "OPERATIONAL", new_public_jwk: publicJwk(x) }
  const requests = [
    { ...rotation, mode: "ROUTINE" },
    { ...rotation, mode: "RECOVERY" },
    { purpose: "REVOCATION", target: "OPERATIONAL", mode: "SELF", reason: "KEY_COMPROMISE" },
    { purpose: "REVOCATION", target: "IDENTITY", mode: "RECOVERY", reason: "UNSPECIFIED" },
  ]
  for (const body of requests) {
    const [status, problem] = await ask({ schema_version: "1.0.0", agent_id: agentId, ...body })
    expect([status, problem.code, problem.reason_codes]).toEqual([
      409,
      "LIFECYCLE_CONFLICT",
      ["CHANGED_BY_OPERATOR_ONLY"],
    ])
    const other = { schema_version: "1.0.0", agent_id: `svc:agent:${"A".repeat(32)}`, ...body }
    expect((await ask(other))[1].code).toBe("AGENT_NOT_FOUND")
  }
})
