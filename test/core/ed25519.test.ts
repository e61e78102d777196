import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { hashes, verify as nobleVerify, Point } from "@noble/ed25519"
import { sha512 } from "@noble/hashes/sha2.js"
import fc from "fast-check"
import { encodeBase64url } from "../../src/core/base64url.ts"
import {
  checkPublicKey,
  keyFromSeed,
  signatureFault,
  signatureFaultAside,
  signWith,
  verifySignature,
} from "../../src/core/ed25519.ts"
import { runs } from "../fixtures/long.ts"
import { RFC8032 } from "./rfc8032.ts"

hashes.sha512 = sha512

const vectors = process.env["BIZAUTH_VECTORS"]
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"))
const b64 = (hex: string) => encodeBase64url(bytes(hex))

/** The rule of the service: a key is checked at enrolment, a signature at each use. */
function accepts(publicKey: string, message: Uint8Array, signature: string): boolean {
  return checkPublicKey(publicKey) === null && verifySignature(publicKey, message, signature)
}

/** All 14 encodings of the eight points with an order that divides 8 (ePrint 2020/1244, table 1). */
const SMALL_ORDER_HEX = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]

describe("Ed25519", () => {
  test.each(RFC8032.map((vector) => [vector.name, vector] as const))("RFC 8032 7.1 %s verifies", (_, vector) => {
    const { privateKey, x } = keyFromSeed(bytes(vector.seed))
    expect(x).toBe(b64(vector.publicKey))
    expect(checkPublicKey(x)).toBeNull()
    expect(signWith(privateKey, bytes(vector.message))).toBe(b64(vector.signature))
    expect(verifySignature(x, bytes(vector.message), b64(vector.signature))).toBe(true)
  })

  test("the identity point as a key would accept any message and is refused", () => {
    const identity = b64(SMALL_ORDER_HEX[2] ?? "")
    const forged = b64(`01${"00".repeat(63)}`)
    expect(checkPublicKey(identity)).toBe("KEY_SMALL_ORDER")
    for (const message of ["any", "pay everything to me", ""]) {
      expect(verifySignature(identity, message, forged)).toBe(false)
    }
  })

  test("every encoding of a small-order point is refused as a key and as R of a signature", () => {
    const { x } = keyFromSeed(new Uint8Array(32).fill(7))
    for (const hex of SMALL_ORDER_HEX) {
      expect(checkPublicKey(b64(hex))).not.toBeNull()
      expect(verifySignature(x, "m", b64(hex + "00".repeat(32)))).toBe(false)
    }
  })

  test("a signature with small-order R is refused although it satisfies the equation", () => {
    // R is the identity and S = h·a. The key's owner can make this signature and verifiers disagree on it, so it is refused.
    const seed = new Uint8Array(32).fill(9)
    const { x } = keyFromSeed(seed)
    const publicKey = new Uint8Array(Buffer.from(x, "base64url"))
    const order = Point.CURVE().n
    const little = (value: Uint8Array) => BigInt(`0x${Buffer.from(value).reverse().toString("hex")}`)
    const digest = sha512(seed).slice(0, 32)
    digest[0] = (digest[0] ?? 0) & 248
    digest[31] = ((digest[31] ?? 0) & 127) | 64
    const r = bytes(SMALL_ORDER_HEX[2] ?? "")
    const h = little(sha512(Buffer.concat([r, publicKey, Buffer.from("m")]))) % order
    const s = (h * (little(digest) % order)) % order
    const signature = Buffer.concat([r, Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse()])
    expect(nobleVerify(new Uint8Array(signature), Buffer.from("m"), publicKey, { zip215: true })).toBe(true)
    expect(verifySignature(x, "m", encodeBase64url(signature))).toBe(false)
  })

  test("a key with a torsion component is refused", () => {
    const torsion = Point.fromBytes(bytes(SMALL_ORDER_HEX[6] ?? ""), true)
    expect(checkPublicKey(encodeBase64url(Point.BASE.add(torsion).toBytes()))).toBe("KEY_MIXED_ORDER")
    expect(checkPublicKey(encodeBase64url(Point.BASE.toBytes()))).toBeNull()
  })

  test.each([
    ["31 bytes", encodeBase64url(new Uint8Array(31))],
    ["33 bytes", encodeBase64url(new Uint8Array(33))],
    ["not a curve point", b64(`02${"00".repeat(31)}`)],
    ["y = p + 4, which is not reduced", b64(`f1${"ff".repeat(30)}7f`)],
    ["padding", `${b64(RFC8032[0].publicKey)}=`],
    ["empty", ""],
  ])("a key that is %s is refused", (_, x) => {
    expect(checkPublicKey(x)).toBe("KEY_ENCODING_INVALID")
  })

  test("one flipped bit in key, message or signature fails", () => {
    const { privateKey, x } = keyFromSeed(new Uint8Array(32).fill(3))
    const message = new Uint8Array(Buffer.from("the message that was signed"))
    const signature = signWith(privateKey, message)
    const flip = (value: Uint8Array, bit: number) => {
      const copy = new Uint8Array(value)
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      return copy
    }
    const raw = (text: string) => new Uint8Array(Buffer.from(text, "base64url"))
    expect(accepts(x, message, signature)).toBe(true)
    fc.assert(
      fc.property(fc.nat(message.length * 8 - 1), fc.nat(511), fc.nat(255), (inMessage, inSignature, inKey) => {
        expect(accepts(x, flip(message, inMessage), signature)).toBe(false)
        expect(accepts(x, message, encodeBase64url(flip(raw(signature), inSignature)))).toBe(false)
        expect(accepts(encodeBase64url(flip(raw(x), inKey)), message, signature)).toBe(false)
      }),
      { numRuns: runs(60) },
    )
  })

  test("the same signature in another base64url spelling is refused", () => {
    const { privateKey, x } = keyFromSeed(new Uint8Array(32).fill(3))
    const signature = signWith(privateKey, "m")
    const slack = signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(85) + 1)
    expect(Buffer.from(slack, "base64url").equals(Buffer.from(signature, "base64url"))).toBe(true)
    for (const other of [slack, `${signature}==`, ` ${signature}`, signature.slice(0, 84), ""]) {
      expect(verifySignature(x, "m", other)).toBe(false)
    }
  })

  test("S + L, the malleable twin of a signature, is refused", () => {
    const { privateKey, x } = keyFromSeed(new Uint8Array(32).fill(5))
    const raw = Buffer.from(signWith(privateKey, "m"), "base64url")
    const s = BigInt(`0x${Buffer.from(raw.subarray(32)).reverse().toString("hex")}`) + Point.CURVE().n
    const twin = Buffer.concat([raw.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse()])
    expect(verifySignature(x, "m", encodeBase64url(twin))).toBe(false)
  })

  test("the second implementation accepts our signatures, and both refuse changed ones", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.uint8Array({ maxLength: 100 }),
        fc.nat(511),
        (seed, message, bit) => {
          const { privateKey, x } = keyFromSeed(seed)
          const publicKey = new Uint8Array(Buffer.from(x, "base64url"))
          const signature = new Uint8Array(Buffer.from(signWith(privateKey, message), "base64url"))
          expect(nobleVerify(signature, message, publicKey, { zip215: false })).toBe(true)
          signature[bit >> 3] = (signature[bit >> 3] ?? 0) ^ (1 << (bit & 7))
          expect(nobleVerify(signature, message, publicKey, { zip215: false })).toBe(false)
          expect(accepts(x, message, encodeBase64url(signature))).toBe(false)
        },
      ),
      { numRuns: runs(40) },
    )
  })

  test("a seed that is not 32 bytes long throws", () => {
    expect(() => keyFromSeed(new Uint8Array(31))).toThrow(TypeError)
  })
})

describe.skipIf(!vectors)("Ed25519 over published vectors (skipped unless BIZAUTH_VECTORS names their folder)", () => {
  const load = (...path: string[]) => JSON.parse(readFileSync(join(vectors ?? "", "ed25519", ...path), "utf8"))

  test("all 151 Wycheproof cases get the verdict of Wycheproof", () => {
    const wrong: number[] = []
    let count = 0
    for (const group of load("wycheproof", "ed25519_test.json").testGroups) {
      for (const { tcId, msg, sig, result } of group.tests) {
        count++
        if (accepts(b64(group.publicKey.pk), bytes(msg), b64(sig)) !== (result === "valid")) wrong.push(tcId)
      }
    }
    expect({ count, wrong }).toEqual({ count: 151, wrong: [] })
  })

  test("all 12 speccheck pairs of key and signature are refused", () => {
    const cases: { message: string; pub_key: string; signature: string }[] = load("speccheck", "cases.json")
    expect(cases.map((c) => accepts(b64(c.pub_key), bytes(c.message), b64(c.signature)))).toEqual(Array(12).fill(false))
  })

  test("the key check gives the recorded verdict for the 12 speccheck keys", () => {
    const cases: { pub_key: string }[] = load("speccheck", "cases.json")
    const verdicts = cases.map((c) => checkPublicKey(b64(c.pub_key)) ?? "OK")
    const count = (verdict: string) => verdicts.filter((each) => each === verdict).length
    expect([count("KEY_SMALL_ORDER"), count("KEY_MIXED_ORDER"), count("KEY_ENCODING_INVALID"), count("OK")]).toEqual([
      2, 6, 2, 2,
    ])
  })

  test("the RFC 9421 example verifies, and the universal forgery is refused", () => {
    const known = load("misc", "known-answers.json")
    const http = known.rfc9421_b_2_6
    const signature = encodeBase64url(new Uint8Array(Buffer.from(http.signature_b64, "base64")))
    expect(accepts(http.public_jwk.x, new Uint8Array(Buffer.from(http.signature_base)), signature)).toBe(true)
    const forgery = known.identity_key_universal_forgery
    expect(accepts(b64(forgery.public_key_hex), new Uint8Array(Buffer.from("any")), b64(forgery.signature_hex))).toBe(
      false,
    )
    expect(known.small_order_encodings_hex).toEqual(SMALL_ORDER_HEX)
    const note = known.signed_note_c2sp
    const noteKey = Buffer.from(note.vkey.split("+").slice(2).join("+"), "base64").subarray(1)
    const noteSignature = Buffer.from(note.signature_line.split(" ")[2], "base64").subarray(4)
    expect(
      accepts(encodeBase64url(noteKey), new Uint8Array(Buffer.from(note.text)), encodeBase64url(noteSignature)),
    ).toBe(true)
  })

  test("the RFC 8032 vectors of the noble suite verify", () => {
    const cases: { pub: string; msg: string; sig: string }[] = load("rfc8032", "rfc8032-ed25519.json")
    expect(cases.length).toBeGreaterThan(0)
    for (const c of cases) expect(accepts(b64(c.pub), bytes(c.msg), b64(c.sig))).toBe(true)
  })
})

describe("another thread", () => {
  test("finds the same fault", async () => {
    const { privateKey, x } = keyFromSeed(bytes(RFC8032[0]?.seed ?? ""))
    const signature = signWith(privateKey, "paid")
    const small = encodeBase64url(new Uint8Array(64))
    const cases = [
      ["paid", signature],
      ["unpaid", signature],
      ["paid", `${signature}=`],
      ["paid", small],
    ] as const
    const faults = await Promise.all(cases.map(([text, value]) => signatureFaultAside(x, text, value)))
    expect(faults).toEqual(cases.map(([text, value]) => signatureFault(x, text, value)))
    expect(new Set(faults).size).toBe(4)
  })
})
