import type { IssueAgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import type { SentJwk } from "../../../schemas/agent-id/jwk.ts"
import { ServiceError } from "../../base/errors.ts"
import { checkPublicKey } from "../../core/ed25519.ts"
import { isTestKey } from "../../core/forms/test-keys.ts"
import { keyOwner } from "../../core/key-owner.ts"
import type { KeyFault } from "../../core/point-policy.ts"
import { hasPrivateMaterial } from "../../core/secrets/private-material.ts"

const KEY_MEMBERS = ["operational_public_jwk", "recovery_public_jwk", "new_public_jwk"] as const

/** Runs before any other check of a key: a caller who sent a private key must learn it, whatever else is wrong. */
export function requirePublicMaterial(body: IssueAgentIdentityChallenge): void {
  const sent: Readonly<Record<string, unknown>> = body
  const errors = KEY_MEMBERS.filter((member) => isPrivate(sent[member])).map((member) => ({
    pointer: `/${member}`,
    code: "PRIVATE_KEY_MATERIAL",
    expected: "public JWK with kty, crv and x",
  }))
  if (errors.length === 0) return
  throw new ServiceError(
    "PRIVATE_KEY_MATERIAL_REJECTED",
    "A private key was sent. It was neither kept nor logged; treat it as compromised and generate a new one.",
    { errors },
  )
}

function isPrivate(jwk: unknown): boolean {
  return typeof jwk === "object" && jwk !== null && hasPrivateMaterial(jwk)
}

const DETAIL: Readonly<Record<KeyFault, string>> = {
  KEY_ENCODING_INVALID: "x is not the canonical encoding of a point on the curve.",
  KEY_SMALL_ORDER: "Anyone can sign for a small-order point.",
  KEY_MIXED_ORDER: "Verifiers disagree about signatures of a key with a torsion component.",
}

/** Returns `x` of the two keys. Throws the rejection of the first fault: first each key alone, then their independence. */
export function checkedKeys(operational: SentJwk, recovery: SentJwk): { operationalX: string; recoveryX: string } {
  const operationalX = checkedKey("operational_public_jwk", operational)
  const recoveryX = checkedKey("recovery_public_jwk", recovery)
  if (keyOwner(operationalX) === keyOwner(recoveryX)) {
    throw new ServiceError(
      "KEYS_NOT_INDEPENDENT",
      "Both keys have one private scalar: their x are equal or differ only in the sign bit.",
    )
  }
  return { operationalX, recoveryX }
}

/**
 * Returns `x` of a key that passed the key check. CHOICE: the test keys of the published vectors are refused as SCHEMA_INVALID, because the
 * interface has no code for a key whose private half everyone has.
 */
export function checkedKey(member: (typeof KEY_MEMBERS)[number], jwk: SentJwk): string {
  if (!("x" in jwk) || typeof jwk.x !== "string") throw new TypeError("private material passed its own check")
  const fault = checkPublicKey(jwk.x)
  if (fault)
    throw new ServiceError(fault, DETAIL[fault], {
      errors: [
        { pointer: `/${member}/x`, code: fault, expected: "canonical encoding of a torsion-free Ed25519 point" },
      ],
    })
  if (isTestKey(jwk.x)) {
    throw new ServiceError(
      "SCHEMA_INVALID",
      "This is a test key of /v1/agent/signed-forms. Generate a key of your own.",
      {
        errors: [
          { pointer: `/${member}/x`, code: "PUBLISHED_TEST_KEY", expected: "a key whose private half only you have" },
        ],
      },
    )
  }
  return jwk.x
}
