import { expect, test } from "bun:test"
import { createHash, generateKeyPairSync, sign, verify } from "node:crypto"
import { p256 } from "@noble/curves/p256"
import { NATIVE_CRYPTO } from "../../../src/core/crypto/native-crypto.ts"
import { pairOf } from "../../../src/core/passkeys/der.ts"
import { readP256Point, verifyP256 } from "../../../src/core/passkeys/p256.ts"
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

test("P-256 agrees with two other implementations on right, wrong and strange signatures", () => {
  const order = p256.CURVE.n
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const key = read(spki(publicKey), -7)
  if (!key) throw new Error("no key")
  const raw = spki(publicKey).subarray(26)
  const strange = [0n, 1n, 2n, order - 1n, order, order + 1n, p256.CURVE.Fp.ORDER, 2n ** 256n]
  const der = (r: bigint, s: bigint) => new Uint8Array(pairOf(r, s))
  let right = 0
  for (let at = 0; at < 60; at++) {
    const message = Buffer.from(`message ${at}`)
    const good = sign("sha256", message, privateKey)
    const { r, s } = p256.Signature.fromDER(good)
    const one = strange[at % strange.length] ?? 0n
    const cases = [good, der(r, order - s), der(s, r), der(r + 1n, s), der(r, s + 1n), der(one, s), der(r, one)]
    for (const signature of [...cases, der(one, one), der(one, order - one > 0n ? order - one : 1n)]) {
      const own = verifyByPasskey(key, { message, signature }, NATIVE_CRYPTO)
      const native = verify("sha256", message, publicKey, signature)
      const hash = createHash("sha256").update(message).digest()
      const noble = (() => {
        try {
          return p256.verify(p256.Signature.fromDER(signature), hash, raw, { lowS: false, prehash: false })
        } catch {
          return false
        }
      })()
      expect([at, own, own]).toEqual([at, native, noble])
      if (own) right++
    }
  }
  expect(right).toBe(120)
})

test("P-256 agrees where the sum has no inverse, is twice a point, or the sum of a point and its opposite", () => {
  // The keys G, -G, 2G and -2G, with hashes that make the two parts of the sum equal or opposite.
  const order = p256.CURVE.n
  for (const secret of [1n, order - 1n, 2n, order - 2n, 3n]) {
    const raw = p256.ProjectivePoint.BASE.multiply(secret).toRawBytes(false)
    const point = readP256Point(raw)
    if (!point) throw new Error("no point")
    for (const [r, s] of [
      [1n, 1n],
      [5n, 7n],
      [order - 1n, 3n],
    ] as const) {
      for (const e of [0n, 1n, r, order - r, (r * secret) % order, order - ((r * secret) % order)]) {
        const hash = Buffer.from(e.toString(16).padStart(64, "0"), "hex")
        const noble = p256.verify(new p256.Signature(r, s), hash, raw, { lowS: false, prehash: false })
        expect(verifyP256(point, hash, pairOf(r, s))).toBe(noble)
      }
      // A signature that was made to fit: r is the x of the sum.
      const [u1, u2] = [11n, 13n]
      const sum = p256.ProjectivePoint.BASE.multiply(u1).add(p256.ProjectivePoint.BASE.multiply((secret * u2) % order))
      const made = { r: sum.toAffine().x % order, s: 0n }
      made.s = (made.r * invert(u2, order)) % order
      const hash = Buffer.from(((u1 * made.s) % order).toString(16).padStart(64, "0"), "hex")
      expect(verifyP256(point, hash, pairOf(made.r, made.s))).toBe(true)
    }
  }
})

function invert(value: bigint, modulus: bigint): bigint {
  let result = 1n
  for (let power = modulus - 2n, square = value; power > 0n; power >>= 1n, square = (square * square) % modulus) {
    if (power & 1n) result = (result * square) % modulus
  }
  return result
}

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
