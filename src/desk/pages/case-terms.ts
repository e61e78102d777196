import type { ReviewBook } from "../../core/review/review-book.ts"
import type { Suppression } from "../../sources/screening/suppress.ts"
import type { ReviewCase } from "../../store/review/review-cases.ts"
import type { StoredRecord } from "../../store/review/review-records.ts"
import type { OpenedCase } from "../opened-case.ts"
import type { ReviewerNames } from "../reviewer-names.ts"
import type { Reviewing } from "../visit.ts"

/** What the page of a case shows. */
export interface CaseTerms {
  readonly me: Reviewing
  readonly opened: OpenedCase
  readonly records: readonly StoredRecord[]
  readonly book: ReviewBook
  /** Cases of the same payer about the same party and entry, this one too. */
  readonly group: readonly ReviewCase[]
  readonly names: ReviewerNames
  readonly isRecused: boolean
  /** Judgements that lift a hit of these records. */
  readonly inForce: readonly Suppression[]
  /** What the next answer would be, in words. */
  readonly next: string
  /** Day that the form proposes as the end of a judgement. */
  readonly until: string
  /** Milliseconds. */
  readonly now: number
}
