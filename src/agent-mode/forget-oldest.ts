/** Forgets the oldest entry of a map that has `max` entries or more. Call it before a new entry is added. */
export function forgetOldest(kept: Map<string, unknown>, max: number): void {
  if (kept.size < max) return
  const oldest = kept.keys().next()
  if (!oldest.done) kept.delete(oldest.value)
}
