import { expect, test } from "bun:test"
import { generateKeyPairSync, sign } from "node:crypto"
import { p256 } from "@noble/curves/p256"
import { NATIVE_CRYPTO } from "../../../src/core/crypto/native-crypto.ts"
import { readPasskey, verifyByPasskey } from "../../../src/core/passkeys/passkey.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const slow = slowTests(import.meta.path)

const read = (der: Uint8Array, algorithm: number) =>
  readPasskey({ publicKey: Buffer.from(der).toString("base64url"), algorithm }, NATIVE_CRYPTO)
const spki = (key: { export(options: { format: "der"; type: "spki" }): Uint8Array }) =>
  Buffer.from(key.export({ format: "der", type: "spki" }))

function rsa(modulusLength: number, publicExponent = 65_537) {
  return generateKeyPairSync("rsa", { modulusLength, publicExponent })
}

slow.each([
  [1024, false],
  [2047, false],
  [2048, true],
  [3072, true],
  [4096, true],
  [4224, false],
] as const)(
  "an RSA key of %i bits is a passkey: %p",
  (bits, isKey) => {
    expect(read(spki(rsa(bits).publicKey), -257) !== null).toBe(isKey)
  },
  60_000,
)

slow(
  "every changed byte of an RSA key gives another key or none, never the same one",
  () => {
    const der = spki(rsa(2048).publicKey)
    const good = read(der, -257)
    expect(good).not.toBeNull()
    for (let at = 0; at < der.length; at++) {
      for (const change of [1, 0x80, 0xff]) {
        const other = read(Buffer.from(der.map((byte, i) => (i === at ? byte ^ change : byte))), -257)
        if (other !== null) expect(other).not.toEqual(good)
      }
    }
    for (const other of [der.subarray(1), der.subarray(0, -1), Buffer.concat([der, Buffer.of(0)]), Buffer.alloc(0)]) {
      expect(read(other, -257)).toBeNull()
    }
  },
  60_000,
)

slow(
  "an even exponent, one above 32 bits and the exponent 1 are refused",
  () => {
    const der = spki(rsa(2048).publicKey)
    const end = Buffer.from("0203010001", "hex")
    expect(der.subarray(-5)).toEqual(end)
    const withExponent = (hex: string) => read(Buffer.concat([der.subarray(0, -5), Buffer.from(hex, "hex")]), -257)
    expect(withExponent("0203010003")).not.toBeNull()
    expect(withExponent("0203010002")).toBeNull()
    expect(withExponent("0203000001")).toBeNull()
  },
  60_000,
)

test("a P-256 key must be a point of the curve, uncompressed", () => {
  const der = spki(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey)
  expect(read(der, -7)).not.toBeNull()
  expect(read(Buffer.from(der.map((byte, at) => (at === 90 ? byte ^ 1 : byte))), -7)).toBeNull()
  expect(read(Buffer.concat([der.subarray(0, 26), Buffer.alloc(65)]), -7)).toBeNull()
  expect(read(spki(generateKeyPairSync("ec", { namedCurve: "P-521" }).publicKey), -7)).toBeNull()
  expect(read(spki(generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey), -7)).toBeNull()
})

test("an Ed25519 key of small order is refused", () => {
  const prefix = Buffer.from("302a300506032b6570032100", "hex")
  expect(read(spki(generateKeyPairSync("ed25519").publicKey), -8)).not.toBeNull()
  expect(read(Buffer.concat([prefix, Buffer.from([1]), Buffer.alloc(31)]), -8)).toBeNull()
  expect(read(spki(generateKeyPairSync("x25519").publicKey), -8)).toBeNull()
})

test("both values of an ECDSA signature are valid, as authenticators make either", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const key = read(spki(publicKey), -7)
  if (!key) throw new Error("no key")
  const message = Buffer.from("message")
  const signature = sign("sha256", message, privateKey)
  const { r, s } = p256.Signature.fromDER(signature)
  const other = new p256.Signature(r, p256.CURVE.n - s).toDERRawBytes()
  for (const one of [signature, other]) {
    expect(verifyByPasskey(key, { message, signature: one }, NATIVE_CRYPTO)).toBe(true)
  }
  const raw = p256.Signature.fromDER(signature).toCompactRawBytes()
  expect(verifyByPasskey(key, { message, signature: raw }, NATIVE_CRYPTO)).toBe(false)
})
