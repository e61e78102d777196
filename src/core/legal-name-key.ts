import { foldCase } from "./fold-case.ts"

/**
 * The form in which two legal names of one identifier are compared for a collision: case, punctuation, spacing and characters that do
 * not show make no difference, words do. Screening has its own, far more forgiving comparison.
 */
export function legalNameKey(legalName: string): string {
  // Marks stay: in many scripts the vowels are marks, and without them different words would be one.
  return foldCase(legalName)
    .replace(/\p{Default_Ignorable_Code_Point}|[^\p{L}\p{M}\p{N}]/gu, "")
    .normalize("NFKC")
}
