/**
 * Scripts of the collection. They run in the caller's Postman or newman, not in this service. Their sandbox has no Ed25519, and a private
 * key must never enter the collection. So every signature is made outside and pasted in.
 */
import { KEEP } from "./requests.ts"

/** Stores the text to sign where the caller finds it, after checking that the challenge belongs to the caller. */
export const CHALLENGE_TESTS = `
const { challenge, challenge_digest, expires_at } = pm.response.json()
const c14n = (value) => value === null || typeof value !== "object" ? JSON.stringify(value)
  : Array.isArray(value) ? "[" + value.map(c14n).join(",") + "]"
  : "{" + Object.keys(value).sort().map((name) => JSON.stringify(name) + ":" + c14n(value[name])).join(",") + "}"
const text = c14n(challenge)
const digest = "sha256:" + require("crypto-js").SHA256(text).toString()
pm.test("the digest is that of the challenge", () => pm.expect(digest).to.equal(challenge_digest))
pm.test("the challenge is for this service", () => pm.expect(challenge.audience).to.equal(pm.variables.get("base_url")))
pm.test("the challenge holds the keys that were sent, and asks for an enrolment", () => {
  pm.expect(challenge.keys.operational.public_jwk.x).to.equal(pm.variables.get("operational_public_key"))
  pm.expect(challenge.keys.recovery.public_jwk.x).to.equal(pm.variables.get("recovery_public_key"))
  pm.expect(challenge.change.kind).to.equal("ENROLL")
})
${KEEP}
keep("challenge_id", challenge.challenge_id)
keep("challenge_digest", challenge_digest)
keep("challenge_to_sign", text)
keep("operational_key_id", challenge.keys.operational.key_id)
keep("recovery_key_id", challenge.keys.recovery.key_id)
console.log([
  "Sign on your own machine, Ed25519, base64url without padding, before " + expires_at + ":",
  "operational_signature = the operational key over the UTF-8 bytes of challenge_to_sign",
  "recovery_signature = the recovery key over the same bytes",
  "payload_signature = the operational key over the UTF-8 bytes of payload_to_sign",
  "Put the three into the variables of the collection and run it again.",
  "challenge_to_sign: " + text,
  "payload_to_sign: " + pm.variables.get("payload_to_sign")
].join("\\n"))
`

export const PROOF_TESTS = `
const proof = pm.response.json()
pm.test("the keys make an identity", () => pm.expect(proof.result).to.equal("ENROLLED"))
pm.test("its id is made of the challenge", () => {
  const bytes = pm.variables.get("challenge_digest").slice("sha256:".length).match(/../g).slice(0, 24).map((hex) => parseInt(hex, 16))
  const base64url = btoa(String.fromCharCode(...bytes)).replace(/\\+/g, "-").replace(/\\//g, "_")
  pm.expect(proof.agent_id).to.equal("svc:agent:" + base64url)
})
${KEEP}
keep("agent_id", proof.agent_id)
`

export const PROFILE_TESTS = `
const profile = pm.response.json()
pm.test("the profile is active and claims key control only", () => {
  pm.expect(profile.identity_status).to.equal("ACTIVE")
  pm.expect(profile.claim).to.equal("KEY_CONTROL_ONLY")
  pm.expect(profile.limitations).to.have.lengthOf(7)
})
`

export const STATUS_TESTS = `
const { payload } = pm.response.json()
pm.test("the status is fresh and of this challenge", () => {
  pm.expect(payload.freshness.status).to.equal("FRESH")
  pm.expect(payload.head_event_digest).to.equal(pm.variables.get("challenge_digest"))
})
`

export const JWKS_TESTS = `
pm.test("the published key is the operational one, and public", () => {
  const { keys } = pm.response.json()
  pm.expect(keys).to.have.lengthOf(1)
  pm.expect(keys[0].x).to.equal(pm.variables.get("operational_public_key"))
  pm.expect(keys[0]).to.not.have.property("d")
})
`

export const VERIFY_TESTS = `
const { outcomes, limitations } = pm.response.json()
pm.test("the signature verifies under an active key", () => {
  pm.expect(outcomes.cryptographic.outcome).to.equal("VALID")
  pm.expect(outcomes.lifecycle.outcome).to.equal("KEY_ACTIVE")
})
pm.test("and nothing more is said about it", () => {
  pm.expect(outcomes.temporal.outcome).to.equal("NO_TIME_CLAIM")
  pm.expect(outcomes.replay.outcome).to.equal("NOT_TRACKED")
  pm.expect(limitations).to.have.lengthOf(7)
})
`

/** The first run ends before the signature. The second run starts after it. */
export const SKIP_WHEN_SIGNED = `if (pm.variables.get("operational_signature")) pm.execution.skipRequest()`
export const SKIP_UNTIL_SIGNED = `if (!pm.variables.get("operational_signature")) pm.execution.skipRequest()`
