/** What a record is and does, as a line of a list. */
import type { ReviewKind } from "../../../schemas/review.ts"
import type { RecordEffect } from "../../core/review/judge-record.ts"

/** After the name of a person. */
export const KIND_WORDS: Readonly<Record<ReviewKind, string>> = {
  OTHER_PARTY: "judged that it is another party",
  SAME_PARTY: "judged that it is the listed party",
  UNSURE: "could not tell",
  CLOSE: "closed the case",
  APPROVE: "approved",
  REJECT: "rejected",
  WITHDRAW: "withdrew the proposal",
  ENROL: "enrolled a passkey",
  REVOKE: "revoked a passkey",
  POLICY: "set how many persons must judge",
  NOTE: "wrote a note",
  ASSIGN: "assigned the case",
}

export const EFFECT_WORDS: Readonly<Record<RecordEffect, string>> = {
  RECORDED: "recorded",
  OPENED: "waits for approvals",
  COUNTED: "one approval more, and more are needed",
  EFFECTIVE: "in effect",
  ENDED: "ended the proposal",
}

/** Kinds of passkeys, by their COSE algorithm. */
export const ALGORITHM_WORDS: Readonly<Record<number, string>> = { [-8]: "Ed25519", [-7]: "P-256", [-257]: "RSA" }

/** The first characters of the id of a passkey, which pages show. */
export function shortKey(keyId: string): string {
  return keyId.slice("passkey-".length, "passkey-".length + 8)
}
