/**
 * One form for every way of writing the same letters: compatibility composition and full case folding, as near as JavaScript has it.
 * Small, large, small: a capital sharp s has no larger form, and only its small one is written out as two letters. A sigma is written by
 * its place in the word, and places change when what lies between letters goes.
 */
export function foldCase(text: string): string {
  return text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC").replaceAll("ς", "σ")
}
