import { expect } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { PublishedJwk } from "../../schemas/discovery/jwks.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { signWith, verifySignature } from "../../src/core/ed25519.ts"
import { signValue } from "../../src/core/signer.ts"
import { DAY } from "../../src/core/time.ts"
import { compile } from "../../src/http/read-body.ts"
import { drawKey, KEY_VALID_DAYS, signingKeyRow } from "../../src/keys/issue-key.ts"
import { keyFilePath } from "../../src/keys/key-file.ts"
import { keysIn, nextKeys } from "../../src/keys/key-places.ts"
import { KeyRing } from "../../src/keys/key-ring.ts"
import { activateKey, revokeKey } from "../../src/store/identity/service-keys.ts"
import { rotateElsewhere } from "../fixtures/rotate-elsewhere.ts"
import { clockAt, testService } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const START = Date.UTC(2026, 0, 1)
const published = (jwks: Uint8Array): PublishedJwk[] => JSON.parse(Buffer.from(jwks).toString()).keys

test("a signature by the current key verifies with the published key", async () => {
  await using running = await testService()
  const { keys } = running.service
  const signature = signValue(keys.current(), { a: 1 })
  const [jwk] = published(keys.jwks())
  expect(signature).toMatchObject({ issuer: "svc", key_id: jwk?.kid ?? "" })
  expect(verifySignature(jwk?.x ?? "", canonicalize({ a: 1 }), signature.value)).toBe(true)
})

test("after a rotation by another process the new key signs, and the old one is still found and published", async () => {
  await using running = await testService()
  const { keys } = running.service
  const before = keys.current().keyId
  expect(await keys.refresh()).toBe(false)
  const after = await rotateElsewhere(running.directory, START + DAY)
  expect(keys.current().keyId).toBe(before)
  expect(await keys.refresh()).toBe(true)
  expect(keys.current().keyId).toBe(after)
  expect(keys.find(before)?.status).toBe("ROTATED")
  expect(published(keys.jwks()).map(({ kid, svc_status }) => [kid, svc_status])).toEqual([
    [before, "ROTATED"],
    [after, "ACTIVE"],
  ])
  expect(await keys.refresh()).toBe(false)
})

test("while the file of a new key is missing, nothing signs and the new set is published; it signs once the file exists", async () => {
  await using running = await testService()
  const { keys, dataDirectory } = running.service
  const before = keys.current().keyId
  const after = await rotateElsewhere(running.directory, START + DAY)
  const file = keyFilePath(dataDirectory.paths.keys, after)
  const kept = await Bun.file(file).text()
  rmSync(file)
  for (const changed of [true, false]) expect(await keys.refresh()).toBe(changed)
  expect([keys.state(), keys.state("log"), keys.currentOrNull()]).toEqual(["MISSING", "READY", null])
  expect(keys.missing()).toEqual([{ use: "statement", keyId: after }])
  expect(() => keys.current()).toThrow("NOT_READY")
  expect(published(keys.jwks()).map(({ kid, svc_status }) => [kid, svc_status])).toEqual([
    [before, "ROTATED"],
    [after, "ACTIVE"],
  ])
  writeFileSync(file, kept, { mode: 0o600 })
  expect(await keys.refresh()).toBe(true)
  expect([keys.state(), keys.current().keyId]).toEqual(["READY", after])
  expect(await keys.refresh()).toBe(false)
})

test("a revoked key is not published, but is found with the time from which it is distrusted", async () => {
  await using running = await testService()
  const { keys, store } = running.service
  const before = keys.current().keyId
  await rotateElsewhere(running.directory, START + DAY)
  await store.run(() => revokeKey(before, "2026-01-01T12:00:00.000Z"))
  await keys.refresh()
  expect(published(keys.jwks()).map(({ kid }) => kid)).toEqual([keys.current().keyId])
  expect(keys.find(before)).toMatchObject({ status: "REVOKED", revokedSince: "2026-01-01T12:00:00.000Z" })
})

test("a key signs until the last millisecond before it expires and not after", async () => {
  const clock = clockAt(START)
  await using running = await testService(clock)
  const { keys } = running.service
  clock.set(START + KEY_VALID_DAYS * DAY - 1)
  expect([keys.state(), keys.daysLeft()]).toEqual(["READY", 0])
  expect(keys.current().keyId).toStartWith("ed25519-")
  clock.set(START + KEY_VALID_DAYS * DAY)
  expect(keys.state()).toBe("EXPIRED")
  expect(() => keys.current()).toThrow("SIGNING_KEY_EXPIRED")
})

test("each published key has exactly the documented members", async () => {
  await using running = await testService()
  const check = compile(PublishedJwk)
  for (const jwk of published(running.service.keys.jwks())) {
    expect(check.Check(jwk)).toBe(true)
    expect(jwk).toMatchObject({ nbf: START / 1000, exp: START / 1000 + KEY_VALID_DAYS * 86_400 })
    expect(jwk).not.toHaveProperty("d")
  }
})

test("the log key is a separate key, is rotated separately, and is in no published set", async () => {
  await using running = await testService()
  const { service } = running
  const before = service.logKey()
  const statement = service.keys.current().keyId
  expect(before.keyId).not.toBe(statement)
  const note = signWith(before.privateKey, "checkpoint")
  expect(verifySignature(before.x, "checkpoint", note)).toBe(true)
  const after = await rotateElsewhere(running.directory, START + DAY, "log")
  expect(await service.keys.refresh()).toBe(true)
  expect(service.logKey().keyId).toBe(after)
  expect(service.keys.current().keyId).toBe(statement)
  expect(service.keys.find(before.keyId)).toMatchObject({ use: "log", status: "ROTATED" })
  expect(published(service.keys.jwks()).map(({ kid }) => kid)).toEqual([statement])
})

test("each use has its own expiry: an expired log key stops checkpoints but no statements", async () => {
  const clock = clockAt(START)
  await using running = await testService(clock)
  const { keys } = running.service
  clock.set(START + DAY)
  const next = await rotateElsewhere(running.directory, START + DAY)
  await keys.refresh()
  clock.set(START + KEY_VALID_DAYS * DAY)
  expect([keys.state(), keys.state("log"), keys.daysLeft("log")]).toEqual(["READY", "EXPIRED", 0])
  expect(keys.current().keyId).toBe(next)
  expect(() => keys.logKey()).toThrow("SIGNING_KEY_EXPIRED")
})

test("a key that is committed but whose file is not yet moved already signs", async () => {
  await using running = await testService()
  const { dataDirectory, store } = running.service
  const drawn = drawKey(nextKeys(dataDirectory.paths.keys), clockAt(START + DAY))
  await store.run(() => activateKey(signingKeyRow(drawn, "statement", START + DAY)))
  const late = await KeyRing.open({
    store,
    heldKey: keysIn(dataDirectory.paths.keys),
    issuer: "svc",
    machine: clockAt(START + DAY),
    othersVersion: () => 1,
  })
  expect(late.current().keyId).toBe(drawn.keyId)
})
