/**
 * What a row of a policy depends on, which decides whether an answer with it is sold (rulings 90). The table is beside the policies and is
 * no member of a row, because the checksum covers the rows and delivered answers name it.
 */
import type { GateOutcome } from "../../../schemas/us/decision-response.ts"
import type { PolicyReason } from "./policy.ts"

/** The origins, and in one sentence each what they are and whether such an answer is sold. */
export const ORIGIN_MEANINGS = {
  SOURCE: "a list or a register says so; the answer is sold",
  HISTORY: "what was authorized, verified or paid before says so; the answer is sold",
  BODY: "members of the request contradict each other, or evidence is of the future; the request is refused before a quote, with 422 (a Payment Decision with 403)",
  EVIDENCE_ENDED:
    "evidence of the caller has ended or is older than the policy allows, which is a stale source; nothing is decided or charged",
  OWN_RECORDS:
    "the request names a record of this service that is unknown, ended, used or about another; the request is refused with 409 (a Payment Decision with 403), before a quote unless only the payer's signature shows whose record it is",
} as const

export type Origin = keyof typeof ORIGIN_MEANINGS

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
