import { foldCase } from "../core/fold-case.ts"

/**
 * The form in which obligation ids are compared (rulings 45): NFKC, case folded, without white space. Characters that do not show
 * are dropped too, or a zero-width space would let one invoice be authorized twice. Idempotent.
 */
export function obligationKey(obligationId: string): string {
  // Composed once more at the end: a mark that stood behind a space now stands behind a letter, and is one with it.
  return foldCase(obligationId)
    .replace(/[\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu, "")
    .normalize("NFKC")
}
