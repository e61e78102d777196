/**
 * A part of a schema that got a name for its uses may need none: the objects around its other uses were printed once, or the references are
 * longer than the part.
 */
export interface PrintedDocument {
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly [kind: string]: object }
  readonly [member: string]: unknown
}

const PREFIX = "#/components/schemas/"

/** Characters of a component and its references beside its name, which each of them has, and its content. */
const COMPONENT_CHARACTERS = 4
const REFERENCE_CHARACTERS = 32

function isShorterInPlace(name: string, schema: object, uses: number): boolean {
  const size = JSON.stringify(schema).length
  const shared = size + name.length + COMPONENT_CHARACTERS + uses * (REFERENCE_CHARACTERS + name.length)
  return uses > 0 && uses * size <= shared
}

/** Returns the document with each schema of `derived` in the place of its references, if that is shorter. */
export function withShortInPlace(document: PrintedDocument, derived: ReadonlySet<string>): PrintedDocument {
  const { schemas } = document.components
  const uses = usesIn(document)
  const inPlace = new Set(
    [...derived].filter((name) => isShorterInPlace(name, schemas[name] ?? {}, uses.get(name) ?? 0)),
  )
  const placed = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map(placed)
    const name = referredName(value)
    if (name !== null && inPlace.has(name)) return placed(schemas[name])
    return Object.fromEntries(Object.entries(value).map(([member, part]) => [member, placed(part)]))
  }
  const left = Object.entries(schemas).filter(([name]) => !inPlace.has(name))
  return placed({
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(left) },
  }) as PrintedDocument
}

/** Counts the references to each schema. */
function usesIn(document: object): ReadonlyMap<string, number> {
  const uses = new Map<string, number>()
  const count = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    const name = Array.isArray(value) ? null : referredName(value)
    if (name !== null) uses.set(name, (uses.get(name) ?? 0) + 1)
    for (const member of Object.keys(value)) count((value as Readonly<Record<string, unknown>>)[member])
  }
  count(document)
  return uses
}

function referredName({ $ref }: { readonly $ref?: unknown }): string | null {
  return typeof $ref === "string" && $ref.startsWith(PREFIX) ? $ref.slice(PREFIX.length) : null
}
