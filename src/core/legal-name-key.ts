import { foldCase } from "./text/fold-case.ts"

/**
 * Returns the form in which two legal names of one identifier are compared for a collision. It ignores case, punctuation, spacing and
 * invisible characters; it keeps words. Screening uses its own, much more tolerant comparison.
 */
export function legalNameKey(legalName: string): string {
  // Keep marks: in many scripts the vowels are marks, and without them different words would be equal.
  return foldCase(legalName)
    .replace(/\p{Default_Ignorable_Code_Point}|[^\p{L}\p{M}\p{N}]/gu, "")
    .normalize("NFKC")
}
