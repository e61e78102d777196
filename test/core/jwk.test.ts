import { expect, test } from "bun:test"
import { KeyId } from "../../schemas/common.ts"
import { keyFromSeed } from "../../src/core/ed25519.ts"
import { checkJwk, keyIdOf, publicJwk } from "../../src/core/jwk.ts"
import { hasPrivateMaterial } from "../../src/core/secrets/private-material.ts"

test("the key id is the thumbprint of RFC 8037 A.3 behind its prefix", () => {
  expect(keyIdOf("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")).toBe(
    "ed25519-kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
  )
})

test("every key id has the published pattern, even if the thumbprint begins with - or _", () => {
  const ids = Array.from({ length: 200 }, (_, i) => keyIdOf(keyFromSeed(new Uint8Array(32).fill(i)).x))
  for (const id of ids) expect(id).toMatch(new RegExp(KeyId.pattern ?? "none"))
  expect(ids.some((id) => /^ed25519-[-_]/.test(id))).toBe(true)
  expect(new Set(ids).size).toBe(200)
})

test("a public JWK has three members and passes the key check", () => {
  const { x } = keyFromSeed(new Uint8Array(32).fill(1))
  expect(publicJwk(x)).toEqual({ kty: "OKP", crv: "Ed25519", x })
  expect(checkJwk(publicJwk(x))).toBeNull()
  expect(checkJwk(publicJwk("A".repeat(43)))).toBe("KEY_SMALL_ORDER")
})

test.each(["d", "k", "p", "q", "dp", "dq", "qi", "oth"])(
  "the member %s is private material, whatever its value",
  (member) => {
    expect(hasPrivateMaterial({ ...publicJwk("x"), [member]: null })).toBe(true)
  },
)

test("public members are not private material", () => {
  expect(hasPrivateMaterial({ ...publicJwk("x"), kid: "d", alg: "EdDSA", use: "sig" })).toBe(false)
})
