/**
 * The form in which obligation ids are compared (rulings 45): NFKC, case folded, without white space. Characters that do not show
 * are dropped too, or a zero-width space would let one invoice be authorized twice. Idempotent.
 */
export function obligationKey(obligationId: string): string {
  // Upper before lower case is the closest JavaScript has to full case folding: `ß`, `SS` and `ss` meet.
  const folded = obligationId.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC")
  return folded.replace(/[\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu, "")
}
