import { expect, test } from "bun:test"
import { hash } from "node:crypto"
import { keyFromSeed } from "../../src/core/ed25519.ts"
import { keyIdOf } from "../../src/core/jwk.ts"
import { fingerprint } from "../../src/keys/fingerprint.ts"
import { publishedKeys } from "../../src/keys/published-keys.ts"
import type { KeyStatus, KeyUse, ServiceKey } from "../../src/store/identity/service-keys.ts"

function key(seed: number, use: KeyUse, status: KeyStatus): ServiceKey {
  const { x } = keyFromSeed(new Uint8Array(32).fill(seed))
  const at = "2026-01-01T00:00:00.000Z"
  const revokedSince = status === "REVOKED" ? at : null
  return { keyId: keyIdOf(x), use, x, status, createdAt: at, notBefore: at, expiresAt: at, revokedSince }
}

const active = key(1, "statement", "ACTIVE")
const rotated = key(2, "statement", "ROTATED")
const revoked = key(3, "statement", "REVOKED")
const all = [active, rotated, revoked, key(4, "log", "ACTIVE"), key(5, "sandbox", "ACTIVE")]
const kids = (options?: { revoked: boolean }) => publishedKeys(all, options).keys.map(({ kid }) => kid)

test("the public set has statement keys only, and no revoked key", () => {
  expect(kids()).toEqual([active.keyId, rotated.keyId])
})

test("the set for the offline verifier adds revoked keys with their times, and still no log or sandbox key", () => {
  expect(kids({ revoked: true })).toEqual([active.keyId, rotated.keyId, revoked.keyId])
  const shown = publishedKeys(all, { revoked: true }).keys.map((jwk) => jwk.svc_revoked_since)
  expect(shown).toEqual([undefined, undefined, "2026-01-01T00:00:00.000Z"])
})

test("a fingerprint is the SHA-256 of the raw public key, in pairs", () => {
  const hex = hash("sha256", Buffer.from(active.x, "base64url"), "hex")
  expect(fingerprint(active.x).replaceAll(":", "")).toBe(hex)
  expect(fingerprint(active.x)).toMatch(/^([0-9a-f]{2}:){31}[0-9a-f]{2}$/)
})
