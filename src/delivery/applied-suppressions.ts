const MEMBER = "suppressed_hits"

/**
 * Returns the ids of the operator's judgements that lifted a hit of this decision, without duplicates. `factsJson`: the stored facts, which
 * name each of them in `suppressed_hits` wherever they keep a screening.
 */
export function appliedSuppressions(factsJson: string): readonly string[] {
  // Few decisions have one, and only those are parsed.
  if (!factsJson.includes(`"${MEMBER}"`)) return []
  const found = new Set<string>()
  collect(JSON.parse(factsJson), found)
  return [...found]
}

interface Suppressed {
  readonly suppression: { readonly suppression_id: string }
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== "object" || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === MEMBER && Array.isArray(member)) {
      for (const { suppression } of member as readonly Suppressed[]) found.add(suppression.suppression_id)
    } else collect(member, found)
  }
}
