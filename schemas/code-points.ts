/**
 * True if a text has `min` to `max` Unicode code points. JSON Schema counts code points. A string's own `length` counts UTF-16 code units,
 * and a character outside the basic plane has two of them.
 */
export function hasCodePoints(text: string, min: number, max: number): boolean {
  const units = text.length
  // A text has between half as many code points as units and as many as units, so most texts need no count.
  if (units < min || units > max * 2) return false
  if (units <= max && units >= min * 2) return true
  let count = 0
  for (const _ of text) count++
  return count >= min && count <= max
}
