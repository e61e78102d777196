/** Judges every record again by those before it, with the rules of the unit that stored it. */
import type { ReviewEntry } from "../../../../schemas/review.ts"
import type { DocumentCrypto } from "../../../core/crypto/document-crypto.ts"
import { judgeRecord } from "../../../core/review/judge-record.ts"
import { EMPTY_REGISTER } from "../../../core/review/register.ts"
import { bookAfter, EMPTY_BOOK, type ReviewBook, registerAfter } from "../../../core/review/review-book.ts"

export interface Replayed {
  /** The first record that was not allowed. */
  readonly fault: string | null
  /** By number of the case; 0 is the register. Up to the fault. */
  readonly books: ReadonlyMap<number, ReviewBook>
  /** Reviewers whom the operator admitted. */
  readonly admitted: readonly { readonly name: string; readonly why: string }[]
}

export function replayed(entries: readonly ReviewEntry[], { digestOf }: Pick<DocumentCrypto, "digestOf">): Replayed {
  const books = new Map<number, ReviewBook>()
  const admitted: { name: string; why: string }[] = []
  let register = EMPTY_REGISTER
  for (const { sequence, record, subject } of entries) {
    const chain = record.case?.number ?? 0
    const book = books.get(chain) ?? EMPTY_BOOK
    const answered = record.answers === null ? null : (book.proposals.get(record.answers) ?? null)
    const judged = judgeRecord({ record, subject, register, answered, ofCase: chain === 0 ? null : book })
    if (judged.fault !== null) return { fault: `record ${sequence} was not allowed: ${judged.fault}`, books, admitted }
    const applied = { digest: digestOf(record), record, subject, effect: judged.effect }
    books.set(chain, bookAfter(book, applied))
    if (chain === 0) register = registerAfter(register, applied, answered)
    if (subject?.kind === "ENROL" && subject.break_glass !== null) {
      admitted.push({ name: subject.name, why: subject.break_glass })
    }
  }
  return { fault: null, books, admitted }
}
