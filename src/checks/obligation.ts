import { foldCase } from "../core/text/fold-case.ts"

/**
 * Returns the form in which obligation ids are compared (rulings 45): NFKC, case folded, without white space. Invisible characters are
 * removed too, because a zero-width space would otherwise let one invoice be authorized twice. Idempotent.
 */
export function obligationKey(obligationId: string): string {
  // Normalize again: without the space, a mark can follow a letter and combine with it.
  return foldCase(obligationId)
    .replace(/[\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu, "")
    .normalize("NFKC")
}
