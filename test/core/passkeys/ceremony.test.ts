/** Passkeys: judged by the library that others use, on changed assertions of each algorithm. */
import { test as bunTest, expect } from "bun:test"
import { createHash, createPublicKey, verify } from "node:crypto"
import { verifyAuthenticationResponse } from "@simplewebauthn/server"
import { isoCBOR } from "@simplewebauthn/server/helpers"
import { NATIVE_CRYPTO } from "../../../src/core/crypto/native-crypto.ts"
import { assertionIn, checkAssertion, checkRegistration, registrationIn } from "../../../src/core/passkeys/ceremony.ts"
import { readPasskey } from "../../../src/core/passkeys/passkey.ts"
import { PORTABLE_CRYPTO } from "../../../src/offline/portable/portable-crypto.ts"
import {
  type AssertionJson,
  type TestAlgorithm,
  type TestAuthenticator,
  testAuthenticator,
} from "../../fixtures/authenticator.ts"
import { chance } from "../../fixtures/chance.ts"
import { atLength, howMany, SEED } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { KNOWN_COUNTER, MUTATIONS, STRICTER } from "./mutations.ts"

const test = slowTests(import.meta.path)

const ALGORITHMS: readonly (readonly [string, TestAlgorithm])[] = [
  ["Ed25519", -8],
  ["P-256", -7],
  ["RSA", -257],
]
const ORIGIN = "http://reviews.localhost:8411"
const CHALLENGE = Buffer.from(new Uint8Array(32).fill(9)).toString("base64url")
const ALL = 5_000
const COUNT = atLength(600, ALL)

/** The key as the library takes it (RFC 9053). */
function coseKey({ publicKey, algorithm }: TestAuthenticator): Uint8Array<ArrayBuffer> {
  const jwk = createPublicKey({ key: Buffer.from(publicKey, "base64url"), format: "der", type: "spki" }).export({
    format: "jwk",
  })
  const part = (text = "") => new Uint8Array(Buffer.from(text, "base64url"))
  const members: [number, number | Uint8Array][] =
    algorithm === -8
      ? [
          [1, 1],
          [3, -8],
          [-1, 6],
          [-2, part(jwk.x)],
        ]
      : algorithm === -7
        ? [
            [1, 2],
            [3, -7],
            [-1, 1],
            [-2, part(jwk.x)],
            [-3, part(jwk.y)],
          ]
        : [
            [1, 3],
            [3, -257],
            [-1, part(jwk.n)],
            [-2, part(jwk.e)],
          ]
  return isoCBOR.encode(new Map(members)) as Uint8Array<ArrayBuffer>
}

function credentialOf({ publicKey, algorithm, credentialId }: TestAuthenticator, counter = KNOWN_COUNTER) {
  const key = readPasskey({ publicKey, algorithm }, NATIVE_CRYPTO)
  if (!key) throw new Error("the test's key is no passkey")
  return { credentialId, key, counter }
}

function faultOf(json: unknown, authenticator: TestAuthenticator, counter = KNOWN_COUNTER, crypto = NATIVE_CRYPTO) {
  const assertion = assertionIn(json)
  const expected = { challenge: CHALLENGE, origin: ORIGIN }
  return assertion ? checkAssertion(assertion, expected, credentialOf(authenticator, counter), crypto).fault : "SHAPE"
}

async function libraryAccepts(
  json: AssertionJson,
  authenticator: TestAuthenticator,
  publicKey: Uint8Array<ArrayBuffer>,
) {
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: json as never,
      expectedChallenge: CHALLENGE,
      expectedOrigin: ORIGIN,
      expectedRPID: new URL(ORIGIN).hostname,
      credential: { id: authenticator.credentialId, publicKey, counter: KNOWN_COUNTER },
      requireUserVerification: true,
    })
    return verified
  } catch {
    return false
  }
}

function nativelySigned({ response }: AssertionJson, { algorithm, privateKey }: TestAuthenticator): boolean {
  const [clientData, data, signature] = [response.clientDataJSON, response.authenticatorData, response.signature].map(
    (text) => Buffer.from(text, "base64url"),
  ) as [Buffer, Buffer, Buffer]
  const signed = Buffer.concat([data, createHash("sha256").update(clientData).digest()])
  return verify(algorithm === -8 ? null : "sha256", signed, createPublicKey(privateKey), signature)
}

test.each(ALGORITHMS)(
  `${howMany(ALL, COUNT)} changed assertions of %s: the verdict of the library, which accepts some that are refused here`,
  async (_, algorithm) => {
    const [authenticator, stranger] = [testAuthenticator(algorithm), testAuthenticator(algorithm)]
    const publicKey = coseKey(authenticator)
    const random = chance(SEED + algorithm)
    const draw = (below: number) => Math.floor(random() * below)
    const names = Object.keys(MUTATIONS)
    const accepted = new Map<string, number>()
    const stricter = new Set<string>()
    for (let at = 0; at < COUNT; at++) {
      const name = names[at % names.length] ?? ""
      authenticator.counter = KNOWN_COUNTER + 1
      const json = MUTATIONS[name]?.({ authenticator, stranger, challenge: CHALLENGE, origin: ORIGIN, draw })
      if (!json) throw new Error(name)
      const fault = faultOf(json, authenticator)
      const library = await libraryAccepts(json, authenticator, publicKey)
      if (fault === null) accepted.set(name, (accepted.get(name) ?? 0) + 1)
      else if (library && STRICTER.has(name)) stricter.add(name)
      const isEqual = (fault === null) === library
      // The library reads a DER signature whose length is wrong. OpenSSL does not.
      const isBroken = name === "bytesOfSignature" && !nativelySigned(json, authenticator)
      const isKnown = fault !== null && (STRICTER.has(name) || isBroken)
      if (!isEqual && !isKnown) throw new Error(JSON.stringify({ name, json, fault, library }))
    }
    // Only a signature of ECDSA is DER.
    const isSeen = (name: string) => name !== "afterSignature" || algorithm === -7
    expect([...stricter].toSorted()).toEqual([...STRICTER].filter(isSeen).toSorted())
    for (const name of ["none", "sameMembers", "escapes", "spaces"]) expect(accepted.get(name) ?? 0).toBeGreaterThan(0)
    for (const name of STRICTER) expect(accepted.has(name)).toBe(false)
  },
  300_000,
)

test.each(ALGORITHMS)(
  "every flipped bit of one good assertion of %s is refused, natively and in plain JavaScript",
  (_, algorithm) => {
    const authenticator = testAuthenticator(algorithm)
    authenticator.counter = KNOWN_COUNTER + 1
    const good = authenticator.assert(CHALLENGE, ORIGIN)
    for (const crypto of [NATIVE_CRYPTO, PORTABLE_CRYPTO]) {
      expect(faultOf(good, authenticator, KNOWN_COUNTER, crypto)).toBeNull()
    }
    let flipped = 0
    for (const member of ["clientDataJSON", "authenticatorData", "signature"] as const) {
      const bytes = Buffer.from(good.response[member], "base64url")
      for (let bit = 0; bit < bytes.length * 8; bit++, flipped++) {
        const changed = Buffer.from(bytes)
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const json = { ...good, response: { ...good.response, [member]: changed.toString("base64url") } }
        const crypto = bit % 16 === 0 ? PORTABLE_CRYPTO : NATIVE_CRYPTO
        if (faultOf(json, authenticator, KNOWN_COUNTER, crypto) === null) throw new Error(`bit ${bit} of ${member}`)
      }
    }
    expect(flipped).toBeGreaterThan(1_900)
  },
  120_000,
)

bunTest("each check has its own fault", () => {
  const authenticator = testAuthenticator(-7)
  const fault = (wrong: Parameters<TestAuthenticator["assert"]>[2], counter = 0) =>
    faultOf(authenticator.assert(CHALLENGE, ORIGIN, wrong), authenticator, counter)
  const member = (name: string, value: unknown) => ({ clientData: (all: object) => ({ ...all, [name]: value }) })
  const flags = (value: number) => ({
    authenticatorData: (data: Buffer) => Buffer.concat([data.subarray(0, 32), Buffer.from([value]), data.subarray(33)]),
  })
  expect(fault({})).toBeNull()
  expect(fault(member("type", "webauthn.create"))).toBe("TYPE")
  expect(fault(member("challenge", "AAAA"))).toBe("CHALLENGE")
  expect(fault(member("origin", "http://reviews.localhost:8412"))).toBe("ORIGIN")
  expect(fault(member("crossOrigin", true))).toBe("FRAMED")
  expect(fault(member("topOrigin", ORIGIN))).toBe("FRAMED")
  expect(fault(flags(0x04))).toBe("NOT_PRESENT")
  expect(fault(flags(0x01))).toBe("NOT_VERIFIED")
  expect(fault(flags(0x15))).toBe("BACKUP_STATE")
  expect(fault(flags(0x45))).toBe("AUTHENTICATOR_DATA")
  expect(fault({ authenticatorData: (data) => Buffer.concat([Buffer.alloc(32), data.subarray(32)]) })).toBe("RP_ID")
  expect(fault({}, 1_000)).toBe("COUNTER")
  expect(fault({ signer: testAuthenticator(-7) })).toBe("SIGNATURE")
})

bunTest("a counter must rise, unless the authenticator has none", () => {
  const authenticator = testAuthenticator(-8)
  const at = (shown: number, known: number) => {
    authenticator.counter = shown
    return faultOf(authenticator.assert(CHALLENGE, ORIGIN), authenticator, known)
  }
  expect([at(0, 0), at(1, 0), at(8, 7)]).toEqual([null, null, null])
  expect([at(7, 7), at(6, 7), at(0, 7)]).toEqual(["COUNTER", "COUNTER", "COUNTER"])
})

bunTest.each(ALGORITHMS)("a registration of %s gives the credential that its assertions need", (_, algorithm) => {
  const authenticator = testAuthenticator(algorithm)
  const expected = { challenge: CHALLENGE, origin: ORIGIN }
  const registration = registrationIn(authenticator.register(CHALLENGE, ORIGIN))
  if (!registration) throw new Error("no registration")
  const made = checkRegistration(registration, expected, NATIVE_CRYPTO)
  expect(made).toEqual({ fault: null, credential: credentialOf(authenticator, 0) })
  const fault = (changed: Partial<typeof registration>) =>
    checkRegistration({ ...registration, ...changed }, expected, NATIVE_CRYPTO).fault
  expect(fault({ credential_id: "AAAA" })).toBe("CREDENTIAL")
  expect(fault({ algorithm: -35 })).toBe("KEY")
  expect(fault({ algorithm: algorithm === -7 ? -8 : -7 })).toBe("KEY")
  expect(fault({ public_key: registration.public_key.slice(0, -4) })).toBe("KEY")
  expect(fault({ authenticator_data: registration.authenticator_data.slice(0, 48) })).toBe("AUTHENTICATOR_DATA")
  const otherwise = (wrong: Parameters<TestAuthenticator["register"]>[2]) => {
    const json = registrationIn(authenticator.register(CHALLENGE, ORIGIN, wrong))
    return json && checkRegistration(json, expected, NATIVE_CRYPTO).fault
  }
  expect(otherwise({ clientData: (all) => ({ ...all, type: "webauthn.get" }) })).toBe("TYPE")
  expect(otherwise({ clientData: (all) => ({ ...all, origin: "http://localhost:8411" }) })).toBe("ORIGIN")
  const cut = (to: number) => otherwise({ authenticatorData: (data) => data.subarray(0, to) })
  for (let to = 0; to < 37 + 18 + 16 + 1; to++) expect([to, cut(to)]).toEqual([to, "AUTHENTICATOR_DATA"])
})

bunTest("what is no result of a ceremony is none: a text, a list, another type, an id in two forms", () => {
  const authenticator = testAuthenticator(-8)
  const good = authenticator.assert(CHALLENGE, ORIGIN)
  for (const json of [null, "x", [], {}, { ...good, type: "x" }, { ...good, id: "x" }, { ...good, response: [] }]) {
    expect(assertionIn(json)).toBeNull()
    expect(registrationIn(json)).toBeNull()
  }
  expect(registrationIn(good)).toBeNull()
})
