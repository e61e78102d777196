/** Private keys that are JSON values and no texts: found at any depth, with the place of the value. */
import { describe, expect, test } from "bun:test"
import { createPublicKey } from "node:crypto"
import { Type } from "@sinclair/typebox"
import { closed, Signature } from "../../../schemas/common.ts"
import type { SensitiveFault } from "../../../src/core/sensitive/find-in-text.ts"
import { searchOpen } from "../../../src/core/sensitive/open-value.ts"
import { DraftSearch } from "../../../src/core/sensitive/sensitive-draft.ts"
import { sensitiveMembers } from "../../../src/core/sensitive/sensitive-members.ts"
import { Draw } from "../../fixtures/draw.ts"
import { keyPairBytes, keystoreValues } from "../../fixtures/private-keys.ts"

const SCHEMA = Type.Object(
  { name: Type.String(), inner: Type.Object({ id: Type.String() }) },
  { additionalProperties: false },
)
const draw = new Draw("private-key-values")
const privateKey = draw.ed25519()
const publicKey = createPublicKey(privateKey)
const [ethereum, validator] = keystoreValues(draw) as { crypto: object }[]

function foundInOpen(value: unknown): SensitiveFault[] {
  const faults: SensitiveFault[] = []
  searchOpen(value, faults)
  return faults
}
const foundInDraft = (value: unknown) => new DraftSearch({ bankData: false }).faultsOf(SCHEMA, value)
const foundInSignature = sensitiveMembers(closed({ signature: Signature }), { bankData: false })
const at = (pointer: string) => [{ pointer, kind: "PRIVATE_KEY_MATERIAL" as const }]

describe.each<[string, object]>([
  ["a private JWK", privateKey.export({ format: "jwk" })],
  ["the encrypted key of an Ethereum keystore", ethereum?.crypto ?? {}],
  ["the encrypted key of EIP-2335", validator?.crypto ?? {}],
  ["the bytes of a key", [...keyPairBytes(draw)]],
  ["the bytes of a key as an object", { ...keyPairBytes(draw) }],
])("%s", (_, value) => {
  test("in an open value", () => {
    expect(foundInOpen(value)).toEqual(at(""))
    expect(foundInOpen({ a: [1, { b: value }] })).toEqual(at("/a/1/b"))
  })

  test("in a draft that breaks its schema", () => {
    expect(foundInDraft(value)).toEqual(at(""))
    expect(foundInDraft({ name: value })).toEqual(at("/name"))
    expect(foundInDraft({ inner: { id: "x", more: [value] } })).toEqual(at("/inner/more/0"))
  })
})

test.each<[string, object]>([
  ["a public JWK", publicKey.export({ format: "jwk" })],
  ["64 numbers", [...draw.bytes(64)]],
  ["63 bytes of a key", [...keyPairBytes(draw).subarray(1)]],
  ["the bytes of a key and one more", [...keyPairBytes(draw), 1]],
  ["64 texts", Array.from({ length: 64 }, (_, i) => `item ${i}`)],
  ["64 numbers that are no bytes", Array.from({ length: 64 }, (_, i) => i * 1_000.5)],
  ["names of algorithms", { kdf: "HKDF-SHA256", cipher: "AES-128-GCM" }],
])("%s are none", (_, value) => {
  expect([foundInOpen({ a: value }), foundInDraft({ name: value })]).toEqual([[], []])
})

test("in the place of a signature, unless its last byte may be that of a signature", () => {
  const draw = new Draw("signatures")
  const inSignature = (bytes: Buffer) => foundInSignature({ signature: bytes.toString("base64url") })
  expect(inSignature(keyPairBytes(draw))).toEqual(at("/signature"))
  expect(inSignature(keyPairBytes(draw, { maybeSignature: true }))).toEqual([])
})
