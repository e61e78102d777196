/** The client module's stand-ins give the same results as the files that they replace. */
import { expect, test } from "bun:test"
import { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import { BuyerMandate } from "../../../schemas/us/mandate.ts"
import { VendorChangeRequest } from "../../../schemas/us/vendor-change.ts"
import { RequestDraft } from "../../../src/agent/forms/request-draft.ts"
import * as base64url from "../../../src/agent/module/stand-ins/base64url.ts"
import { ChallengeCarrier } from "../../../src/agent/module/stand-ins/challenge-carrier.ts"
import * as digest from "../../../src/agent/module/stand-ins/digest.ts"
import * as ed25519 from "../../../src/agent/module/stand-ins/ed25519.ts"
import * as jwk from "../../../src/agent/module/stand-ins/jwk.ts"
import * as mandate from "../../../src/agent/module/stand-ins/mandate.ts"
import * as openValue from "../../../src/agent/module/stand-ins/open-value.ts"
import * as forms from "../../../src/agent/module/stand-ins/signed-forms.ts"
import * as compiler from "../../../src/agent/module/stand-ins/typebox-compiler.ts"
import * as value from "../../../src/agent/module/stand-ins/typebox-value.ts"
import { decodeBase64url, encodeBase64url } from "../../../src/core/base64url.ts"
import { digestBytes, digestOf } from "../../../src/core/digest.ts"
import { keyFromSeed, signWith } from "../../../src/core/ed25519.ts"
import { keyIdOf, publicJwk } from "../../../src/core/jwk.ts"
import { signedForms } from "../../../src/core/signed-forms.ts"

/** As JSON, without the name of the whole schema. */
const plain = (schema: object) => JSON.parse(JSON.stringify({ ...schema, $id: undefined }))
const seeds = [0, 1, 2, 255].map((byte) => new Uint8Array(32).fill(byte))

test("keys, signatures, digests, ids and base64url", () => {
  for (const seed of seeds) {
    const [own, native] = [ed25519.keyFromSeed(seed), keyFromSeed(seed)]
    expect(own.x).toBe(native.x)
    for (const message of ["", "ü", "x".repeat(300)]) {
      expect(ed25519.signWith(own.privateKey, message)).toBe(signWith(native.privateKey, message))
      expect(digest.digestBytes(message)).toBe(digestBytes(message))
    }
    expect(jwk.keyIdOf(own.x)).toBe(keyIdOf(native.x))
    expect(jwk.publicJwk(own.x)).toEqual(publicJwk(native.x))
    expect(base64url.encodeBase64url(seed)).toBe(encodeBase64url(seed))
    expect(base64url.decodeBase64url(own.x, 32)).toEqual(decodeBase64url(own.x, 32))
  }
  expect(digest.digestOf({ b: [1, null], a: "ü" })).toBe(digestOf({ b: [1, null], a: "ü" }))
  expect(base64url.decodeBase64url("AB=")).toBe(null)
})

test("the forms that a buyer signs are those of the service", () => {
  for (const name of ["MANDATE", "DECISION_REQUEST", "VENDOR_CHANGE"] as const) {
    expect(plain(forms.signedForms[name].schema)).toEqual(plain(signedForms[name].schema))
    expect(forms.signedForms[name].domain as string | null).toBe(signedForms[name].domain)
    expect(forms.isSignedForm(name, {})).toBe(false)
  }
  expect(plain(forms.RequestDraft)).toEqual(plain(RequestDraft))
  expect(plain(mandate.BuyerMandate)).toEqual(plain(BuyerMandate))
})

test("a challenge has exactly the members of a key event", () => {
  const { properties, required } = ChallengeCarrier.properties.challenge
  expect(Object.keys(properties).toSorted()).toEqual(Object.keys(KeyEvent.properties).toSorted())
  expect(required.toSorted()).toEqual((KeyEvent.required ?? []).toSorted())
  for (const [name, schema] of Object.entries(properties)) {
    const isChosen = Object.keys(schema).length > 0
    expect([name, schema]).toEqual([name, isChosen ? KeyEvent.properties[name as keyof typeof properties] : {}])
  }
})

test("a check by the JSON Schema names the first wrong member", () => {
  const check = compiler.TypeCompiler.Compile(plain(VendorChangeRequest))
  expect(check.Check({})).toBe(false)
  expect(check.Errors({}).First()).toMatchObject({ path: "/schema_version" })
  expect(value.Value.Check({ type: "object", properties: { a: { type: "string" } } }, { a: "x", b: 1 })).toBe(true)
  expect(value.Value.Check({ type: "object", properties: { a: { type: "string" } } }, { a: 1 })).toBe(false)
})

test("a private key in a request is found, and a public one is not", () => {
  const found = (given: unknown) => {
    const faults: { pointer: string; kind: string }[] = []
    openValue.searchOpen(given, faults as never)
    return faults.map(({ pointer }) => pointer)
  }
  expect(found({ a: [{ kty: "OKP", d: "x" }], b: "-----BEGIN PRIVATE KEY-----" })).toEqual(["/a/0", "/b"])
  expect(found({ a: { kty: "OKP", x: "x" } })).toEqual([])
})
