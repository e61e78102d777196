/**
 * What a row of a policy depends on, which decides whether an answer with it is sold (rulings 90). The table is beside the policies and is
 * no member of a row, because the checksum covers the rows and delivered answers name it.
 *
 * - SOURCE: a list or a register. Sold.
 * - HISTORY: what was authorized, verified or paid before. Sold.
 * - BODY: members of the request that contradict each other, and evidence of the future. Refused with 422.
 * - EVIDENCE_ENDED: evidence of the caller that has ended or is older than the policy allows: a stale source. Not decided and not charged.
 * - OWN_RECORDS: a reference that is unknown, ended, used or about another. Refused with 409.
 */
import type { GateOutcome } from "../../../schemas/us/decision-response.ts"
import type { PolicyReason } from "./policy.ts"

export type Origin = "SOURCE" | "HISTORY" | "BODY" | "EVIDENCE_ENDED" | "OWN_RECORDS"

const SOURCE = ["SOURCE"] as const
const HISTORY = ["HISTORY"] as const
const BODY = ["BODY"] as const
const EVIDENCE_ENDED = ["EVIDENCE_ENDED"] as const
const OWN_RECORDS = ["OWN_RECORDS"] as const

/** The origins of every code with a row that holds, blocks or is inconclusive. A code with several origins fires for one of them. */
export const ORIGINS: Readonly<Record<string, readonly Origin[]>> = {
  // Lists and registers
  RESTRICTED_PARTY_MATCH: SOURCE,
  RESTRICTED_PARTY_POSSIBLE_MATCH: SOURCE,
  WALLET_RESTRICTED: SOURCE,
  SUPPLIER_NAME_MISMATCH: SOURCE,
  EVIDENCE_INSUFFICIENT: SOURCE,
  COMPANY_NOT_REGISTERED: SOURCE,
  COMPANY_NOT_IN_MONTHLY_FILE: SOURCE,
  COMPANY_NOT_ACTIVE: SOURCE,
  COMPANY_IN_INSOLVENCY: SOURCE,
  COMPANY_STRIKE_OFF_PROPOSED: SOURCE,
  SANCTIONS_MATCH: SOURCE,
  SANCTIONS_POSSIBLE_MATCH: SOURCE,
  INVOICE_NAME_MISMATCH: SOURCE,

  // Obligations, documents, instructions, destinations and earlier decisions
  OBLIGATION_ALREADY_AUTHORIZED: HISTORY,
  OBLIGATION_AUTHORIZED_BEFORE: HISTORY,
  OBLIGATION_DOCUMENT_CHANGED: HISTORY,
  DOCUMENT_REUSED_FOR_OTHER_OBLIGATION: HISTORY,
  PAYMENT_INSTRUCTION_REUSED: HISTORY,
  DESTINATION_DIFFERS_FROM_PAYEE: HISTORY,
  DESTINATION_CHANGED_WITHOUT_AUTHORIZATION: HISTORY,
  FIRST_PAYMENT_TO_DESTINATION: HISTORY,
  // Its own record, when its holder took it back.
  PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED: ["HISTORY", "OWN_RECORDS"],

  // The request against itself
  SUPPLIER_COMPANY_MISMATCH: BODY,
  INVOICE_COMPANY_MISMATCH: BODY,
  PAYEE_COMPANY_MISMATCH: BODY,
  PAYEE_BINDING_NOT_YET_VALID: BODY,
  MANDATE_NOT_CURRENT: BODY,
  MANDATE_LIMIT_EXCEEDED: BODY,

  // Evidence of the caller
  PAYEE_BINDING_EXPIRED: EVIDENCE_ENDED,
  PAYEE_BINDING_TOO_OLD: EVIDENCE_ENDED,
  CHALLENGE_EXPIRED: EVIDENCE_ENDED,
  // Too old, of the future, or from before the authorization that it changes.
  CHALLENGE_NOT_FRESH: ["EVIDENCE_ENDED", "BODY", "OWN_RECORDS"],

  // References to the service's own records
  PRIOR_AUTHORIZATION_NOT_FOUND: OWN_RECORDS,
  PRIOR_AUTHORIZATION_DIFFERS: OWN_RECORDS,
  CHALLENGE_REUSED: OWN_RECORDS,
  SUPPLIER_APPROVAL_NOT_FOUND: OWN_RECORDS,
  SUPPLIER_APPROVAL_EXPIRED: OWN_RECORDS,
  SUPPLIER_APPROVAL_DIFFERS: OWN_RECORDS,
  MANDATE_REVOKED: OWN_RECORDS,
  DELEGATION_NOT_ACTIVE: OWN_RECORDS,
}

const STOPS: readonly GateOutcome[] = ["HOLD", "BLOCK", "INCONCLUSIVE"]
const SOLD: readonly Origin[] = ["SOURCE", "HISTORY"]

/** Returns the origins of a row; none for a row that passes or states a condition. Throws a TypeError for a row without an origin: that is a bug. */
export function originsOf({ code, outcome }: Pick<PolicyReason, "code" | "outcome">): readonly Origin[] {
  if (!STOPS.includes(outcome)) return []
  const origins = ORIGINS[code]
  if (!origins) throw new TypeError(`${code} has no origin`)
  return origins
}

/** Whether no answer with this reason is sold. */
export function isNeverSold(code: string): boolean {
  return (ORIGINS[code] ?? SOLD).every((origin) => !SOLD.includes(origin))
}

/** A reason that fires, for one origin. */
export interface Finding {
  readonly code: string
  readonly origin: Origin
}

/** Throws a TypeError if `code` has several origins and none is given, or does not have the given one: that is a bug. */
export function finding(code: string, origin?: Origin): Finding {
  const origins = ORIGINS[code] ?? []
  const found = origin ?? (origins.length === 1 ? origins[0] : undefined)
  if (!found || !origins.includes(found)) throw new TypeError(`${code} has not the origin ${origin}`)
  return { code, origin: found }
}

export function findings(...found: readonly (Finding | false)[]): Finding[] {
  return found.filter((one) => one !== false)
}

/** Returns the codes without duplicates. */
export function codesOf(found: readonly Finding[]): string[] {
  return [...new Set(found.map(({ code }) => code))]
}
