export interface KeyState {
  readonly keyId: string
  readonly role: "OPERATIONAL" | "RECOVERY"
  readonly x: string
  readonly status: "ACTIVE" | "ROTATED" | "REVOKED"
  /** RFC 3339 times of acceptance. `until` is null while the key is ACTIVE. */
  readonly since: string
  readonly until: string | null
  /** The owner says that another party may have had the key from this time. This is a claim and never proved (rulings 22). */
  readonly compromisedSince: string | null
  readonly successorKeyId: string | null
}

export interface IdentityState {
  readonly agentId: string
  readonly identityStatus: "ACTIVE" | "REVOKED"
  readonly sequence: number
  readonly headEventDigest: string
  readonly headAcceptedAt: string
  /** Digest of the key that the next routine rotation must introduce, or null if no key was committed. */
  readonly nextOperationalKeyDigest: string | null
  readonly lastRoutineRotationAt: string | null
  /** All keys of the identity, oldest first, OPERATIONAL before RECOVERY. */
  readonly keys: readonly KeyState[]
}

export type KeyEventFault =
  | "ENROLMENT_EXPECTED"
  | "ENROLLED_ALREADY"
  | "IDENTITY_REVOKED"
  | "AGENT_ID_MISMATCH"
  | "SEQUENCE_MISMATCH"
  | "PREVIOUS_EVENT_MISMATCH"
  | "PURPOSE_MISMATCH"
  | "AUTHORIZATION_MISMATCH"
  | "ACCEPTED_OUTSIDE_WINDOW"
  | "ACCEPTED_BEFORE_HEAD"
  | "TARGET_NOT_ACTIVE"
  | "TARGET_MISMATCH"
  | "COMMITMENT_MISSING"
  | "COMMITMENT_MISMATCH"
  | "NEXT_COMMITMENT_MISMATCH"
  | "RESULTING_KEYS_MISMATCH"
  | "KEY_REUSED"
  | "COMPROMISE_NEEDS_RECOVERY"
  | "COMPROMISE_OUT_OF_RANGE"
