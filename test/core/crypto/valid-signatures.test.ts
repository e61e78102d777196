import { describe, expect, test } from "bun:test"
import { ValidSignatures } from "../../../src/core/crypto/valid-signatures.ts"
import { signatureFaultAside, signWith, verifySignature } from "../../../src/core/ed25519.ts"
import { testKey } from "../../fixtures/buyers.ts"

const key = testKey("signer", 41)
const other = testKey("other", 42)
const MESSAGE = "the request as it is signed"
const signature = signWith(key.privateKey, MESSAGE)

/** The real verification, in place or aside, with a list of the signatures that were verified. */
function counted(isAside: boolean) {
  const verified: string[] = []
  const signatures = new ValidSignatures(isAside, async (x, message, value) => {
    verified.push(value)
    return isAside ? (await signatureFaultAside(x, message, value)) === null : verifySignature(x, message, value)
  })
  return { signatures, verified }
}

describe.each([
  ["in place", false],
  ["aside", true],
] as const)("%s", (_, isAside) => {
  test("a valid signature is verified once", async () => {
    const { signatures, verified } = counted(isAside)
    for (let call = 0; call < 3; call++) expect(await signatures.isValid(key, MESSAGE, signature)).toBe(true)
    expect(verified).toEqual([signature])
  })

  test("an invalid signature is verified, and refused, each time", async () => {
    const { signatures, verified } = counted(isAside)
    const forged = signWith(other.privateKey, MESSAGE)
    for (const value of [forged, "A".repeat(86), "", `${signature}=`]) {
      for (let call = 0; call < 2; call++) expect(await signatures.isValid(key, MESSAGE, value)).toBe(false)
    }
    expect(verified).toHaveLength(8)
  })

  const R = signature.slice(0, 43)
  const second = signWith(key.privateKey, "another message")
  test.each([
    ["another message", key, `${MESSAGE}.`, signature],
    ["a message that begins as it does", key, MESSAGE.slice(0, -1), signature],
    ["another key under the same id", { keyId: key.keyId, x: other.x }, MESSAGE, signature],
    ["a signature that begins as it does", key, MESSAGE, R + second.slice(43)],
    ["a signature that ends as it does", key, MESSAGE, second.slice(0, 43) + signature.slice(43)],
  ] as const)("a valid signature proves nothing for %s", async (_, named, message, value) => {
    const { signatures } = counted(isAside)
    expect(await signatures.isValid(key, MESSAGE, signature)).toBe(true)
    expect(await signatures.isValid(named, message, value)).toBe(false)
    expect(await signatures.isValid(key, MESSAGE, signature)).toBe(true)
  })
})

test("the oldest of 4,000 signatures is forgotten first, and is verified again", async () => {
  const verified: string[] = []
  const signatures = new ValidSignatures(false, (_x, message) => verified.push(message) > 0)
  const verify = (from: number, to: number) =>
    Promise.all(Array.from({ length: to - from }, (_, i) => signatures.isValid(key, `${from + i}`, signature)))
  await verify(0, 4000)
  await verify(0, 4000)
  expect(verified).toHaveLength(4000)
  await verify(4000, 4001)
  verified.length = 0
  await verify(1, 4001)
  expect(verified).toEqual([])
  await verify(0, 1)
  expect(verified).toEqual(["0"])
})

describe("ahead", () => {
  const ahead = (signatures: ValidSignatures, value: string) =>
    signatures.verifyAhead(key.keyId, () => "mandate", value)
  const mandate = signWith(key.privateKey, "mandate")

  test("a signature is verified by the key that signed before under this id", async () => {
    const { signatures, verified } = counted(true)
    await ahead(signatures, mandate)
    expect(verified).toEqual([])
    await signatures.isValid(key, MESSAGE, signature)
    await ahead(signatures, mandate)
    expect(verified).toEqual([signature, mandate])
    expect(await signatures.isValid(key, "mandate", mandate)).toBe(true)
    expect(verified).toEqual([signature, mandate])
  })

  test("an invalid one is verified and refused again", async () => {
    const { signatures, verified } = counted(true)
    await signatures.isValid(key, MESSAGE, signature)
    const forged = signWith(other.privateKey, "mandate")
    await ahead(signatures, forged)
    expect(await signatures.isValid(key, "mandate", forged)).toBe(false)
    expect(verified).toEqual([signature, forged, forged])
  })

  test("the key that the records name decides, whichever key was known under its id", async () => {
    const { signatures } = counted(true)
    await signatures.isValid(key, MESSAGE, signature)
    await ahead(signatures, mandate)
    const renewed = { keyId: key.keyId, x: other.x }
    expect(await signatures.isValid(renewed, "mandate", mandate)).toBe(false)
    expect(await signatures.isValid(renewed, "mandate", signWith(other.privateKey, "mandate"))).toBe(true)
  })

  test("an invalid signature makes no key known", async () => {
    const { signatures, verified } = counted(true)
    await signatures.isValid(key, MESSAGE, mandate)
    await ahead(signatures, mandate)
    expect(verified).toEqual([mandate])
  })

  test("nothing is verified on one processor", async () => {
    const { signatures, verified } = counted(false)
    await signatures.isValid(key, MESSAGE, signature)
    await ahead(signatures, mandate)
    expect(verified).toEqual([signature])
  })
})
