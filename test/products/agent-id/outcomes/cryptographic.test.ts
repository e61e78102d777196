import { expect, test } from "bun:test"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { signWith } from "../../../../src/core/ed25519.ts"
import {
  type CryptographicFacts,
  cryptographicOutcome,
  cryptographicOutcomeAside,
} from "../../../../src/products/agent-id/outcomes/cryptographic.ts"
import { makeAgentKeys } from "../../../fixtures/agent.ts"

const { operational, recovery } = makeAgentKeys()
const signedText = canonicalize({ a: 1 })
const good: CryptographicFacts & { x: string | null } = {
  x: operational.x,
  algorithm: "Ed25519",
  signedText,
  signature: signWith(operational.privateKey, signedText),
  payloadDigest: digestOf("p"),
  recomputedPayloadDigest: digestOf("p"),
}
/** The last of 86 characters carries four slack bits that decoders ignore. */
const withSlackBits = (signature: string) => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  return signature.slice(0, 85) + alphabet[alphabet.indexOf(signature.slice(85)) + 1]
}
const smallOrderR = Buffer.concat([Buffer.from(`01${"00".repeat(31)}`, "hex"), Buffer.alloc(32)]).toString("base64url")

test.each<[string, Partial<typeof good>, string, string[]]>([
  ["a signature by the key over the text", {}, "VALID", []],
  ["a signature when only the digest was sent", { recomputedPayloadDigest: null }, "VALID", []],
  ["another key", { x: recovery.x }, "INVALID", ["SIGNATURE_MISMATCH"]],
  ["another text", { signedText: canonicalize({ a: 2 }) }, "INVALID", ["SIGNATURE_MISMATCH"]],
  [
    "set unused bits in the last character",
    { signature: withSlackBits(good.signature) },
    "INVALID",
    ["SIGNATURE_ENCODING_NON_CANONICAL"],
  ],
  ["a small-order R", { signature: smallOrderR }, "INVALID", ["SIGNATURE_SMALL_ORDER_R"]],
  ["another payload", { recomputedPayloadDigest: digestOf("q") }, "INVALID", ["PAYLOAD_DIGEST_MISMATCH"]],
  [
    "another payload under another key",
    { x: recovery.x, recomputedPayloadDigest: digestOf("q") },
    "INVALID",
    ["SIGNATURE_MISMATCH", "PAYLOAD_DIGEST_MISMATCH"],
  ],
  ["no key", { x: null }, "NOT_EVALUATED", ["KEY_UNAVAILABLE"]],
  ["another algorithm", { algorithm: "ES256" }, "NOT_EVALUATED", ["ALGORITHM_UNSUPPORTED"]],
  ["another algorithm and no key", { algorithm: "ES256", x: null }, "NOT_EVALUATED", ["ALGORITHM_UNSUPPORTED"]],
])("%s", async (_, changed, outcome, reasons) => {
  const { x, ...facts } = { ...good, ...changed }
  expect(cryptographicOutcome(facts, x)).toEqual({ outcome, reason_codes: reasons } as never)
  expect(await cryptographicOutcomeAside(facts, x)).toEqual({ outcome, reason_codes: reasons } as never)
})
