const WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]

/** Returns a small count as a sentence says it, and digits for one over twelve. */
export function countInWords(count: number): string {
  return WORDS[count] ?? String(count)
}
