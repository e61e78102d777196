/**
 * Whether a text has from `min` to `max` Unicode code points. JSON Schema counts code points; a string's own `length` counts UTF-16 code
 * units, of which a character outside the basic plane has two.
 */
export function hasCodePoints(text: string, min: number, max: number): boolean {
  const units = text.length
  // Between half as many code points as units and as many: most texts need no count.
  if (units < min || units > max * 2) return false
  if (units <= max && units >= min * 2) return true
  let count = 0
  for (const _ of text) count++
  return count >= min && count <= max
}
