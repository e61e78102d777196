/** Draws from a seeded generator. */
export type Draw = () => number

export function one<Item>(from: readonly Item[], draw: Draw): Item {
  const found = from[Math.floor(draw() * from.length)]
  if (found === undefined) throw new RangeError("nothing to draw from")
  return found
}

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

export function drawnWord(length: number, draw: Draw): string {
  return Array.from({ length }, () => LETTERS[Math.floor(draw() * LETTERS.length)]).join("")
}

/** The texts in a value. */
export function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsOf(member)])
}
