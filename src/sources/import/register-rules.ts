/** The rules for a register. */
import { hard, soft } from "../records/findings.ts"
import { type Candidate, isRefused, ofEntries, type Rule } from "./judge.ts"
import type { Duplicates } from "./register-file.ts"
import { activeIsDamaged, filled, future, older, removed, retrievedEarlier, size, told } from "./rules.ts"

export interface RegisterCandidate extends Candidate {
  /** The record count that the publisher states, or null. */
  readonly declaredRecords: number | null
  readonly rows: number
  readonly duplicates: Duplicates
}

/** A register has few companies in receivership, and in some months none. */
const FEW_SHARE = 0.001

const declared: Rule<RegisterCandidate> = ({ declaredRecords, rows }) =>
  declaredRecords !== null && declaredRecords !== rows
    ? [hard("COUNT_MISMATCH", `${rows} records, the publisher states ${declaredRecords}`)]
    : []

const notEmpty: Rule<RegisterCandidate> = ({ entries, inputFindings, readingFindings }) =>
  entries === 0 && !isRefused([...inputFindings, ...readingFindings])
    ? [hard("TRUNCATED", "no entry could be read")]
    : []

/** If two different entries share a key, either may be wrong. An answer with one of them would hide that. */
const distinct: Rule<RegisterCandidate> = ofEntries(({ duplicates: { same, different } }) => [
  ...(different > 0
    ? [hard("DUPLICATE_ID", `${different} keys repeat, with different entries or too many to compare`)]
    : []),
  ...(same > 0 ? [soft("DUPLICATE_ID", `${same} keys repeat with the same entry`)] : []),
])

export const REGISTER_RULES: readonly Rule<RegisterCandidate>[] = [
  told,
  declared,
  notEmpty,
  future(({ timestamp }) => timestamp),
  distinct,
  activeIsDamaged,
  older,
  retrievedEarlier,
  size([]),
  removed,
  filled({ counts: null, fewShare: FEW_SHARE }),
]
