/** Checks that a proof consists of the two signatures that the challenge requires. Pure. */
import type { EventKey, SigningRole } from "../../../schemas/agent-id/key-event.ts"
import type { EventSignature, ProveAgentIdentityChallenge } from "../../../schemas/agent-id/proof.ts"
import type { FieldError } from "../../base/errors.ts"
import { type Digest, digestOf } from "../../core/digest.ts"
import { verifySignature } from "../../core/ed25519.ts"

export type ProofFault = "PROOF_DIGEST_MISMATCH" | "PROOF_ROLE_MISSING" | "PROOF_SIGNATURE_INVALID"

export interface RequiredSignature {
  readonly role: SigningRole
  readonly key: EventKey
}

type ProofVerdict =
  | { readonly fault: null; readonly signatures: readonly EventSignature[] }
  | { readonly fault: ProofFault; readonly errors: readonly FieldError[] }

/** `signedText` is the canonical text of the event as issued. The keys have passed the key check. Returns signatures in role order. */
export function checkProof(
  proof: ProveAgentIdentityChallenge,
  challengeDigest: string,
  signedText: string,
  required: readonly RequiredSignature[],
): ProofVerdict {
  if (proof.challenge_digest !== challengeDigest) {
    return failedProof("PROOF_DIGEST_MISMATCH", [
      { pointer: "/challenge_digest", code: "PROOF_DIGEST_MISMATCH", expected: "challenge_digest of the challenge" },
    ])
  }
  const extra = proof.signatures.findIndex(({ role }) => !required.some((needed) => needed.role === role))
  if (extra >= 0) {
    return failedProof("PROOF_SIGNATURE_INVALID", [
      { pointer: `/signatures/${extra}/role`, code: "ROLE_NOT_REQUIRED", expected: rolesOf(required) },
    ])
  }
  const signatures: EventSignature[] = []
  for (const { role, key } of required) {
    const index = proof.signatures.findIndex((candidate) => candidate.role === role)
    const signature = proof.signatures[index]
    if (!signature)
      return failedProof("PROOF_ROLE_MISSING", [
        { pointer: "/signatures", code: `${role}_MISSING`, expected: `a signature of the role ${role}` },
      ])
    if (signature.key_id !== key.key_id) {
      return failedProof("PROOF_SIGNATURE_INVALID", [
        { pointer: `/signatures/${index}/key_id`, code: "KEY_NOT_OF_CHALLENGE", expected: key.key_id },
      ])
    }
    if (!verifySignature(key.public_jwk.x, signedText, signature.value)) {
      return failedProof("PROOF_SIGNATURE_INVALID", [
        {
          pointer: `/signatures/${index}/value`,
          code: "SIGNATURE_MISMATCH",
          expected: "Ed25519 signature over C14N(challenge)",
        },
      ])
    }
    signatures.push(signature)
  }
  return { fault: null, signatures }
}

function rolesOf(required: readonly RequiredSignature[]): string {
  return required.map(({ role }) => role).join(" or ")
}

function failedProof(fault: ProofFault, errors: readonly FieldError[]): ProofVerdict {
  return { fault, errors }
}

/** Two submissions are the same proof if digest and signatures are equal, in any order of the array. */
export function proofDigestOf(proof: ProveAgentIdentityChallenge): Digest {
  const signatures = [...proof.signatures].sort((a, b) => (a.role < b.role ? -1 : a.role > b.role ? 1 : 0))
  return digestOf({ challenge_digest: proof.challenge_digest, signatures })
}
