/** Every refusal about a signature, a digest or a key that signs names the form of what is signed. */
import { expect, test } from "bun:test"
import { catalogue, type ErrorCode, refusalRow } from "../../src/base/refusals.ts"

const ABOUT_A_FORM =
  /SIGNATURE|DIGEST|MANDATE|DELEGATION|^PROOF_|REVOCATION|KEY_NOT_ACTIVE|NONCE_REPLAY|CHALLENGE_(LOCKED|REPLAY)/

/** These have such a word in their code, and their cause is nothing that the caller signed. */
const OTHERS: readonly ErrorCode[] = ["SIGNATURE_VERIFICATION_DISABLED"]

const codes = Object.keys(catalogue) as ErrorCode[]

test("each names its form, or the error names that of the call", () => {
  const about = codes.filter((code) => ABOUT_A_FORM.test(code) && !OTHERS.includes(code))
  expect(about.length).toBeGreaterThan(25)
  expect(about.filter((code) => refusalRow(code).form === undefined)).toEqual([])
})

test("no other code tells the caller to sign again and names no form, except those about a time, a validity or a payment", () => {
  const unnamed = codes.filter((code) => /^SIGN_/.test(refusalRow(code).next) && refusalRow(code).form === undefined)
  expect(unnamed.toSorted()).toEqual(["EVALUATED_AT_OUT_OF_WINDOW", "PAYMENT_NONCE_REUSED", "VALIDITY_TOO_SHORT"])
})
