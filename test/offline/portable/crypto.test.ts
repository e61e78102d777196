import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { encodeBase64url as nativeBase64url } from "../../../src/core/base64url.ts"
import { decodeBase64url, encodeBase64url } from "../../../src/core/bytes.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf as nativeDigestOf } from "../../../src/core/digest.ts"
import { checkPublicKey, keyFromSeed, verifySignature as nativeVerify, signWith } from "../../../src/core/ed25519.ts"
import { keyIdOf as nativeKeyIdOf } from "../../../src/core/jwk.ts"
import { checkKey, findEngine, verifyBytes, verifySignature } from "../../../src/offline/portable/crypto.ts"
import { digestText, hashOfText, keyIdOf } from "../../../src/offline/portable/encoding.ts"
import { PORTABLE_CRYPTO } from "../../../src/offline/portable/portable-crypto.ts"
import { RFC8032 } from "../../core/rfc8032.ts"

const vectors = process.env["BIZAUTH_VECTORS"]
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"))

interface Case {
  readonly key: Uint8Array
  readonly message: Uint8Array
  readonly signature: Uint8Array
}

/** Verdicts of the three engines of this repository: WebCrypto, plain arithmetic as on the page `/verify`, and the service's native one. */
async function verdicts({ key, message, signature }: Case): Promise<boolean[]> {
  const x = encodeBase64url(key)
  const known = checkKey(x) === null
  return [
    known && (await verifyBytes(key, message, signature)),
    known && PORTABLE_CRYPTO.verifySignature(x, message, encodeBase64url(signature)),
    checkPublicKey(x) === null && nativeVerify(x, message, nativeBase64url(signature)),
  ]
}

describe("every engine gives a signature the same verdict", () => {
  test.each(RFC8032.map((vector) => [vector.name, vector] as const))("RFC 8032 7.1 %s", async (_, vector) => {
    const genuine = { key: bytes(vector.publicKey), message: bytes(vector.message), signature: bytes(vector.signature) }
    expect(await verdicts(genuine)).toEqual([true, true, true])
    const changed = genuine.signature.slice()
    changed[40]! ^= 1
    expect(await verdicts({ ...genuine, signature: changed })).toEqual([false, false, false])
  })

  const withVectors = vectors ? test : test.skip
  const reason = vectors ? "" : " (skipped: BIZAUTH_VECTORS names no folder of published vectors)"

  withVectors(`all three engines refuse every case of ed25519-speccheck${reason}`, async () => {
    const cases = JSON.parse(readFileSync(join(vectors ?? "", "ed25519/speccheck/cases.json"), "utf8")) as {
      message: string
      pub_key: string
      signature: string
    }[]
    expect(cases.length).toBe(12)
    for (const { message, pub_key, signature } of cases) {
      const given = { key: bytes(pub_key), message: bytes(message), signature: bytes(signature) }
      expect(await verdicts(given)).toEqual([false, false, false])
    }
  })

  withVectors(`all three engines agree with the Wycheproof vectors${reason}`, async () => {
    const { testGroups } = JSON.parse(
      readFileSync(join(vectors ?? "", "ed25519/wycheproof/ed25519_test.json"), "utf8"),
    ) as {
      testGroups: { publicKey: { pk: string }; tests: { msg: string; sig: string; result: string }[] }[]
    }
    let seen = 0
    for (const { publicKey, tests } of testGroups) {
      for (const { msg, sig, result } of tests) {
        const signature = bytes(sig)
        if (signature.length !== 64) continue
        const valid = result === "valid"
        const given = { key: bytes(publicKey.pk), message: bytes(msg), signature }
        expect(await verdicts(given)).toEqual([valid, valid, valid])
        seen++
      }
    }
    expect(seen).toBeGreaterThan(100)
  })
})

test("findEngine returns null without an engine and for an engine without Ed25519", async () => {
  expect(await findEngine(undefined)).toBeNull()
  const without = {
    importKey: () => Promise.reject(new DOMException("", "NotSupportedError")),
  } as unknown as SubtleCrypto
  expect(await findEngine(without)).toBeNull()
  expect(await findEngine(crypto.subtle)).toBe(crypto.subtle)
})

test("a key that fails the key check verifies no signature, even one that satisfies the equation", async () => {
  const identity = encodeBase64url(bytes(`01${"00".repeat(31)}`))
  const forged = encodeBase64url(bytes(`01${"00".repeat(63)}`))
  expect(checkKey(identity)).toBe("KEY_SMALL_ORDER")
  expect(await verifySignature(identity, "anything", forged)).toBe(false)
  expect(checkKey("short")).toBe("KEY_ENCODING_INVALID")
})

test("a signature text with stray bits or padding is refused", async () => {
  const { privateKey, x } = keyFromSeed(new Uint8Array(32).fill(9))
  const signature = signWith(privateKey, "text")
  expect(await verifySignature(x, "text", signature)).toBe(true)
  const last = signature.at(-1) ?? ""
  const stray = String.fromCharCode(last.charCodeAt(0) + 1)
  expect(await verifySignature(x, "text", signature.slice(0, -1) + stray)).toBe(false)
  expect(await verifySignature(x, "text", `${signature}==`)).toBe(false)
})

test("the verifier and the service encode bytes, keys and values alike", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 0, maxLength: 70 }), fc.json(), (some, json) => {
      expect(encodeBase64url(some)).toBe(nativeBase64url(some))
      expect(decodeBase64url(encodeBase64url(some), some.length)).toEqual(some)
      const value = JSON.parse(json) as unknown
      expect(digestText(hashOfText(canonicalize(value)))).toBe(nativeDigestOf(value))
    }),
  )
  const { x } = keyFromSeed(new Uint8Array(32).fill(3))
  expect(keyIdOf(x)).toBe(nativeKeyIdOf(x))
})
