/**
 * The form in which two legal names of one identifier are compared for a collision: case, punctuation, spacing and characters that do
 * not show make no difference, words do. Screening has its own, far more forgiving comparison.
 */
export function legalNameKey(legalName: string): string {
  // Small, large, small: a capital sharp s has no larger form, and only its small one is written out as two letters.
  const folded = legalName.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC")
  // A sigma is written by its place in the word, and places change when what lies between letters goes.
  const sigmaOnce = folded.replaceAll("ς", "σ")
  // Marks stay: in many scripts the vowels are marks, and without them different words would be one.
  return sigmaOnce.replace(/\p{Default_Ignorable_Code_Point}|[^\p{L}\p{M}\p{N}]/gu, "").normalize("NFKC")
}
