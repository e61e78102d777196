/**
 * The claim document, version 1.1.0. It contains no address and no operator, so its bytes are the same everywhere. INVARIANT: a published
 * version never changes; a changed word requires a new `claim_version`. A test pins its digest.
 */
import type { KeyControlClaim } from "../../../schemas/agent-id/claim.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { LIMITATION_MEANINGS } from "./limitations.ts"

export const KEY_CONTROL_CLAIM: KeyControlClaim = {
  schema_version: "1.0.0",
  product_id: "svc.agent-id.v1",
  claim: "KEY_CONTROL_ONLY",
  claim_version: "1.1.0",
  evidence: "ED25519_PROOF_OF_POSSESSION",
  assurance_level: "SELF_REGISTERED",
  coverage: "GLOBAL_KEY_CONTROL_ONLY",
  statement: "Whoever enrolled this Agent ID held, at that time, the private halves of both keys in its first event.",
  says: [
    "At enrolment both keys, operational and recovery, signed one challenge that was made for this service, these keys and these ten minutes.",
    "Every later change of keys was signed by the keys the rules ask for, and each event names the digest of the one before it.",
    "A signature that verifies under a key was made by somebody who held that key's private half.",
  ],
  does_not_say: [
    "Who holds the keys, whether it is one holder, or whether it is a machine.",
    "That a key was not stolen, shared or sold before it was revoked.",
    "That a time written by the signer is true: only a registration in the log dates a signature.",
    "That a holder has one Agent ID only.",
    "That the content of anything signed was read, understood, true or lawful.",
  ],
  limitations: [...AGENT_ID_LIMITATIONS],
  limitation_texts: LIMITATION_MEANINGS,
  identifier: {
    pattern: "^svc:agent:[A-Za-z0-9_-]{32}$",
    derivation:
      "svc:agent: followed by base64url without padding of the first 24 bytes of SHA-256 over the canonical bytes of the first event. The event holds a 32-byte random nonce, so an identifier cannot be guessed or listed.",
  },
  canonicalization: {
    name: "SVC-C14N-JSON-1",
    output: "RFC 8785 (JSON Canonicalization Scheme), encoded as UTF-8, over input that passed every rule below.",
    input_rules: [
      "The bytes are UTF-8 without a byte order mark, and one JSON text (RFC 8259).",
      "No object has two members of one name, compared after unescaping, and none is named __proto__.",
      "No string or name holds an unpaired surrogate.",
      "A number without fraction and exponent lies within plus or minus 2^53-1; any other number is finite as an IEEE 754 double, to which it is rounded. -0 is printed as 0.",
      "Arrays and objects are nested at most 32 deep.",
      "A request body has at most 65536 bytes.",
      "Text is neither normalized nor folded: two spellings are two values.",
      "Amounts, and integers that may be larger, are strings.",
    ],
    digest: "sha256: followed by the 64 lower-case hexadecimal digits of SHA-256 over the canonical bytes.",
    signing_bytes:
      "The canonical bytes of the object without its signature, with nothing before or after them. What a signature is for stands inside the object, in its domain and audience.",
  },
  signature_policy: {
    name: "SVC-ED25519-STRICT-1",
    algorithm: "Ed25519",
    public_key_rules: [
      "32 bytes, the canonical encoding of a point on the curve (RFC 8032), in canonical base64url of 43 characters.",
      "Not one of the eight points of small order: anybody can sign for them.",
      "No torsion component: verifiers disagree about signatures under such keys.",
      "The two keys of an enrolment do not have one private scalar: their encodings differ in more than the sign bit.",
    ],
    signature_rules: [
      "64 bytes in canonical base64url of 86 characters: the unused bits of the last character are zero.",
      "R is not one of the 14 encodings, canonical or not, of points of small order.",
      "S is below the group order, and the cofactorless equation of RFC 8032 holds.",
    ],
    key_id:
      "ed25519- followed by the RFC 7638 thumbprint (SHA-256, base64url) of the RFC 8037 public JWK with the members crv, kty and x.",
  },
  transparency_log: {
    entry:
      "Each accepted key event is one leaf of 96 bytes in an append-only Merkle tree (RFC 6962): the map key of the agent, the digest of the event, and the root, after that event, of a map from each agent to its newest event.",
    proves: [
      "An inclusion proof: the operator has signed a tree that holds this event at this place.",
      "A consistency proof: a later signed tree only added to an earlier one.",
      "A map proof against a signed tree: the operator states that, as of that tree, the agent had no newer event.",
      "Two signed trees that contradict each other, or a status that contradicts an event below its tree size, are proof, for anybody, that the operator lied.",
    ],
    does_not_prove: [
      "That the map is honest. A bundle alone does not show it: somebody has to replay the log's tiles and rebuild the map root, or the agent has to compare with its own receipt.",
      "That everybody is shown the same tree: that takes witnesses, or verifiers who compare the trees they saw.",
      "Anything after the tree it was made for: a proof is as old as its tree, and a verifier has to ask how old that may be.",
      "That an event was rightful: the log keeps what the keys signed, also when a thief held the keys.",
    ],
  },
  next_machine_action: "USE_AS_KEY_CONTROL_EVIDENCE_ONLY",
}
