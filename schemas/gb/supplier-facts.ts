import { type Static, Type } from "@sinclair/typebox"
import { answerFactsMembers } from "../answer-facts.ts"
import { closed, enumeration } from "../common.ts"
import { Freshness } from "../observation.ts"
import { publicationMembers } from "../publication.ts"
import { ScreeningFact } from "../screening-facts.ts"

const Text = Type.Union([Type.String(), Type.Null()])
const Flag = Type.Union([Type.Boolean(), Type.Null()])

/** The register's record of one company. Null means that this publication does not say, never "no". Dates are `YYYY-MM-DD`. */
export const GbCompanyRecord = closed({
  company_number: Type.String(),
  company_name: Type.String(),
  company_status: Text,
  company_status_detail: Text,
  company_type: Text,
  date_of_creation: Text,
  date_of_cessation: Text,
  previous_company_names: Type.Array(closed({ name: Type.String(), ceased_on: Text })),
  accounts_overdue: Flag,
  confirmation_statement_overdue: Flag,
  has_insolvency_history: Flag,
})
export type GbCompanyRecord = Static<typeof GbCompanyRecord>

/** One look-up in the register. `via` matters: the monthly file can be a month old and contains no dissolved companies. */
export const GbCompanyFact = closed({
  outcome: enumeration("FOUND", "NOT_FOUND"),
  via: enumeration("LIVE", "BULK"),
  freshness: Freshness,
  reason_codes: Type.Array(Type.String()),
  ...publicationMembers,
  /** Null for the live register. */
  snapshot_id: Text,
  /** Null if there is no such company. */
  record: Type.Union([GbCompanyRecord, Type.Null()]),
})
export type GbCompanyFact = Static<typeof GbCompanyFact>

/** One screened name and its role. */
export const ScreenedName = closed({
  role: enumeration("REGISTERED_NAME", "PREVIOUS_NAME", "INVOICE_NAME"),
  name: Type.String(),
  screening: ScreeningFact,
})
export type ScreenedName = Static<typeof ScreenedName>

/** The supplier facts of both UK products. */
export const gbFactsMembers = {
  ...answerFactsMembers,
  company: GbCompanyFact,
  screened_names: Type.Array(ScreenedName),
  /** Number of previous names above the maximum that one answer screens. */
  previous_names_left_out: Type.Integer({ minimum: 0 }),
} as const

const AnyGbFacts = closed(gbFactsMembers)
export type GbFacts = Static<typeof AnyGbFacts>
