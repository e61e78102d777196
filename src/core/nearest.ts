/** Returns the known word with the fewest single-letter edits to `typed`. The first word wins a tie. */
export function nearest(typed: string, known: readonly string[]): string {
  let best = known[0] ?? ""
  let least = Number.POSITIVE_INFINITY
  for (const word of known) {
    const edits = editDistance(typed, word)
    if (edits < least) {
      least = edits
      best = word
    }
  }
  return best
}

/**
 * Returns `; did you mean …?` with a known word that is near, as `write` prints it: the first that begins with what was typed, otherwise the
 * nearest. Empty when none is near, because a wrong guess misleads.
 */
export function guess(
  typed: string,
  known: readonly string[],
  write: (word: string) => string = (word) => word,
): string {
  const begun = typed.length >= BEGINNING_MIN ? known.find((word) => word.startsWith(typed)) : undefined
  const word = begun ?? nearest(typed, known)
  const limit = Math.max(1, Math.floor(Math.max(typed.length, word.length) / 3))
  const isNear = begun !== undefined || (word !== "" && editDistance(typed, word) <= limit)
  return isNear ? `; did you mean ${write(word)}?` : ""
}

/** Fewer letters begin too many words. */
const BEGINNING_MIN = 3

/** Number of single-letter edits (insert, delete, replace) between two words. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
