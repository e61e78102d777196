import { describe, expect, test } from "bun:test"
import type { SignedSnapshotManifest } from "../../../schemas/snapshot-manifest.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { keyFromSeed, signWith } from "../../../src/core/ed25519.ts"
import { keyIdOf } from "../../../src/core/jwk.ts"
import { isReservedPayload, signedFormOf } from "../../../src/core/signed-forms.ts"
import { without } from "../../../src/core/without.ts"
import { signatureFindings, signatureState, signManifest } from "../../../src/sources/import/manifest-signature.ts"

const keyOf = (seed: number) => {
  const { privateKey, x } = keyFromSeed(new Uint8Array(32).fill(seed))
  return { privateKey, x, keyId: keyIdOf(x) }
}
const [ours, other] = [keyOf(1), keyOf(2)]

const content: SignedSnapshotManifest = {
  domain: "svc.snapshot-manifest.v1",
  format: "svc-snapshot-1",
  source_id: "US_OFAC_SDN",
  source_url: "https://lists.example/sdn",
  source_version: "2026-11-19#3",
  source_timestamp: null,
  retrieved_at: "2026-11-20T10:00:00.000Z",
  retrieved_by: "bizauth sources fetch",
  licence: "public domain",
  files: [
    { name: "sdn.csv", sha256: "a".repeat(64), bytes: 3, last_modified: "2026-11-20T09:00:00.000Z", etag: '"1"' },
  ],
}
const signed = signManifest(content, ours)
const codes = (manifest: unknown, pinned: readonly string[]) =>
  signatureFindings(manifest, pinned).map(({ code, severity }) => [code, severity])

test("a manifest verifies only under the key that signed it", () => {
  expect(signatureState(signed, [other.x, ours.x])).toEqual({ state: "VALID", keyId: ours.keyId })
  expect(signatureState(signed, [other.x])).toEqual({ state: "OTHER_KEY", keyId: ours.keyId })
  expect(signatureState(content, [ours.x])).toEqual({ state: "ABSENT" })
})

test("the signature covers the canonical manifest without its signature, in its own signed form", () => {
  expect(signed.signature.value).toBe(signWith(ours.privateKey, canonicalize(content)))
  expect(signedFormOf(content)).toBe("SNAPSHOT_MANIFEST")
  // A signer of free payloads refuses to sign one.
  expect(isReservedPayload(content)).toBe(true)
})

test("a changed, added or removed member invalidates the signature", () => {
  const [file] = content.files
  if (!file) throw new Error("no file")
  const changes: readonly object[] = [
    { retrieved_at: "2026-11-21T10:00:00.000Z" },
    { source_id: "US_TRADE_CSL" },
    { source_version: "2026-11-20#3" },
    { source_timestamp: "2026-11-20T00:00:00Z" },
    { retrieved_by: "somebody" },
    { files: [{ ...file, sha256: "b".repeat(64) }] },
    { files: [{ ...file, etag: '"2"' }] },
    { files: [file, { ...file, name: "add.csv" }] },
    { note: "more" },
    { domain: "svc.proof-capsule.v1" },
  ]
  const reworded = signatureState({ ...signed, retrieved_by: "somebody" }, [ours.x])
  expect(reworded).toMatchObject({ why: expect.stringContaining("/v1/agent/signed-forms#SNAPSHOT_MANIFEST") })
  for (const change of changes) expect(signatureState({ ...signed, ...change }, [ours.x]).state).toBe("INVALID")
  for (const member of Object.keys(content) as (keyof typeof content)[]) {
    expect(signatureState(without(signed, member), [ours.x]).state).toBe("INVALID")
  }
})

test.each<readonly [what: string, signature: unknown]>([
  ["null", null],
  ["a text", signed.signature.value],
  ["another algorithm", { ...signed.signature, alg: "ES256" }],
  ["one more member", { ...signed.signature, x: ours.x }],
  ["a value of another length", { ...signed.signature, value: signed.signature.value.slice(1) }],
  ["another key's id", { ...signed.signature, key_id: other.keyId }],
  ["a signature over something else", { ...signed.signature, value: signWith(ours.privateKey, "something else") }],
])("a signature that is %s is INVALID", (_what, signature) => {
  expect(signatureState({ ...content, signature }, [ours.x, other.x]).state).toBe("INVALID")
})

describe("pinned keys", () => {
  test("admit only manifests that one of them signed", () => {
    expect(codes(signed, [other.x, ours.x])).toEqual([])
    expect(codes(signed, [other.x])).toEqual([["UNSIGNED", "hard"]])
    expect(codes(content, [ours.x])).toEqual([["UNSIGNED", "hard"]])
    expect(codes(null, [ours.x])).toEqual([["UNSIGNED", "hard"]])
    expect(codes({ ...signed, retrieved_by: "x" }, [ours.x])).toEqual([["SIGNATURE_INVALID", "hard"]])
  })

  test("admit everything if none is set", () => {
    for (const manifest of [signed, content, null]) expect(codes(manifest, [])).toEqual([])
  })
})

test("a value that is not a manifest cannot be signed", () => {
  expect(() => signManifest({ ...content, files: [] }, ours)).toThrow(TypeError)
})
