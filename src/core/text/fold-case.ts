/**
 * Returns one form for all spellings of the same letters: compatibility composition (NFKC) and full case folding, as close as JavaScript
 * allows. It lowers, raises and lowers again, because capital sharp s has no upper-case form and only its small form expands to two
 * letters. It maps final sigma to sigma, because sigma's form depends on its position, and positions change when other characters are
 * removed.
 */
export function foldCase(text: string): string {
  // Of ASCII only the capitals change.
  if (ASCII.test(text)) return text.toLowerCase()
  return text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC").replaceAll("ς", "σ")
}

const ASCII = /^[\x20-\x7e]*$/
