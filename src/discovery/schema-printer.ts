/**
 * Prints many TypeBox schemas that share parts: each part is printed once under a name, and every other place refers to it.
 */
import type { TSchema } from "@sinclair/typebox"
import {
  compact,
  eachPart,
  formOf,
  isNullable,
  isObject,
  type JsonObject,
  jsonOf,
  mapParts,
  type PlainSchema,
  schemaNumber,
} from "./plain-schema.ts"

/** A part that occurs twice gets a name only if it has more characters than this. A reference has about fifty. */
const NAMED_ABOVE_CHARACTERS = 120

/** Position of a part. Its name is made from this. */
interface Place {
  /** Name of the nearest schema around the part that has one. */
  readonly owner: string
  readonly member: string
}

interface Part {
  uses: number
  /** Length of the plain form. */
  readonly characters: number
  /** The name that an `$id` or the table of known parts gives. */
  readonly given: string | undefined
  readonly place: Place
}

/**
 * Schemas that share parts. Call {@link SchemaComponents.add} for every schema, then {@link SchemaComponents.print} for each, then
 * {@link SchemaComponents.components}.
 *
 * A part has a name if it has an `$id`, if `known` names it, or if it has more than 120 characters and occurs twice. A part of the
 * last kind gets the name of its member, with the name of the schema around it in front if another part has the same member name. The same
 * schemas in the same order get the same names.
 */
export class SchemaComponents {
  /** By the number of the form. */
  readonly #parts = new Map<number, Part>()
  readonly #known: ReadonlyMap<number, string>
  readonly #bases: readonly Base[]
  readonly #components = new Map<string, PlainSchema>()
  #names: ReadonlyMap<number, string> | null = null

  /**
   * `known`: these parts always get this name, even if they are short. `bases`: members that several objects have. Such an object prints
   * as its bases and its own members; a closed one is closed by `unevaluatedProperties`.
   */
  constructor(known: Readonly<Record<string, TSchema>> = {}, bases: Readonly<Record<string, TSchema>> = {}) {
    this.#known = new Map(Object.entries(known).map(([name, schema]) => [schemaNumber(schema), name]))
    this.#bases = Object.entries(bases)
      .map(([name, schema]) => baseOf(name, jsonOf(schema)))
      .toSorted((a, b) => b.members.size - a.members.size)
  }

  /** Counts the parts of a schema. `owner` is a name for what it describes. */
  add(schema: TSchema, owner: string): void {
    this.count(jsonOf(schema), { owner, member: "" })
  }

  /** Returns the schema with a reference in the place of every named part. Throws if two different parts have the same `$id`. */
  print(schema: TSchema): PlainSchema {
    this.#names ??= namesOf(this.#parts)
    return this.printed(jsonOf(schema), this.#names)
  }

  /** Returns the named parts that were printed so far, ordered by name. */
  components(): Readonly<Record<string, PlainSchema>> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Names that the printer made up. The others come from an `$id` or from the table of known parts. */
  derivedNames(): ReadonlySet<string> {
    const given = new Set([...this.#parts.values()].map((part) => part.given))
    return new Set([...this.#components.keys()].filter((name) => !given.has(name) && !this.#isBase(name)))
  }

  #isBase(name: string): boolean {
    return this.#bases.some((base) => base.name === name)
  }

  private count(schema: JsonObject, place: Place): void {
    const { number, characters } = formOf(schema)
    const seen = this.#parts.get(number)
    if (seen) seen.uses++
    // If a part gets no name, its own parts are printed again at every place.
    if (seen && !isNullable(schema)) return
    const given = typeof schema["$id"] === "string" ? schema["$id"] : this.#known.get(number)
    if (!isNullable(schema) || given !== undefined) this.#parts.set(number, { uses: 1, characters, given, place })
    eachPart(schema, (part, member) => {
      this.count(part, { owner: given ?? place.owner, member: member ?? place.member })
    })
  }

  private printed(schema: JsonObject, names: ReadonlyMap<number, string>): PlainSchema {
    const name = names.get(formOf(schema).number)
    if (name === undefined) return this.form(schema, names)
    if (!this.#components.has(name)) this.#components.set(name, this.form(schema, names, name))
    return { $ref: `#/components/schemas/${name}` }
  }

  private onBases(bases: readonly Base[], schema: JsonObject, names: ReadonlyMap<number, string>): PlainSchema {
    for (const { name, schema: base } of bases) {
      if (!this.#components.has(name)) this.#components.set(name, this.form(base, names, name))
    }
    const shared = bases.flatMap((base) => [...base.members.keys()])
    const settled = bases.flatMap((base) => base.required)
    const isClosedByBase = bases.some((base) => base.isClosed)
    // A base has the type.
    const { $id: _, type: __, additionalProperties: ___, properties, required: ____, ...others } = schema
    const own = Object.entries(properties as JsonObject).filter(([member]) => !shared.includes(member))
    const needed = requiredOf(schema).filter((member) => !settled.includes(member))
    const rest = {
      ...(own.length > 0 && { properties: Object.fromEntries(own) }),
      ...(needed.length > 0 && { required: needed }),
    }
    const printed: PlainSchema = {
      ...others,
      allOf: bases.map(({ name }) => ({ $ref: `#/components/schemas/${name}` })),
      ...mapParts(rest, (part) => this.printed(part, names)),
      ...(isClosed(schema) && !isClosedByBase && { unevaluatedProperties: false }),
    }
    const [only] = Object.keys(printed).length === 1 && bases.length === 1 ? bases : []
    return only ? { $ref: `#/components/schemas/${only.name}` } : printed
  }

  /** `own`: the name of the part that is printed. */
  private form(schema: JsonObject, names: ReadonlyMap<number, string>, own?: string): PlainSchema {
    const bases = basesOf(this.#bases, schema, own)
    if (bases.length > 0) return this.onBases(bases, schema, names)
    return compact(mapParts(schema, (part) => this.printed(part, names)))
  }
}

/** Members of several objects. */
interface Base {
  readonly name: string
  readonly schema: JsonObject
  /** The number of each member's form, by its name. */
  readonly members: ReadonlyMap<string, number>
  readonly required: readonly string[]
  readonly isClosed: boolean
}

function baseOf(name: string, schema: JsonObject): Base {
  const { properties } = schema
  if (!isObject(properties)) throw new TypeError(`${name} has no members, so it cannot be a base`)
  const members = new Map(
    Object.entries(properties).map(([member, part]) => [member, formOf(part as JsonObject).number]),
  )
  return { name, schema, members, required: requiredOf(schema), isClosed: isClosed(schema) }
}

/**
 * Returns the bases of an object, none with a member of another. `bases`: those with more members first. `own`: the name of the part that
 * is printed, which is not its own base.
 */
function basesOf(bases: readonly Base[], schema: JsonObject, own: string | undefined): readonly Base[] {
  const { properties, additionalProperties } = schema
  if (!isObject(properties) || isObject(additionalProperties)) return []
  const found: Base[] = []
  const taken = new Set<string>()
  for (const base of bases) {
    if (base.name === own || !isBaseOf(base, schema, properties)) continue
    const members = [...base.members.keys()]
    if (members.some((member) => taken.has(member))) continue
    found.push(base)
    for (const member of members) taken.add(member)
  }
  return found
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.map(String) : []
}

function isClosed(schema: JsonObject): boolean {
  return schema["additionalProperties"] === false
}

/**
 * True if the schema has every member of the base, each with the same schema. It may require more of them. A closed base has all members
 * of the schema. `members`: those of the schema.
 */
function isBaseOf(base: Base, schema: JsonObject, members: JsonObject): boolean {
  for (const [name, number] of base.members) {
    const member = members[name]
    if (!isObject(member) || formOf(member).number !== number) return false
  }
  if (base.isClosed && !(isClosed(schema) && base.members.size === Object.keys(members).length)) return false
  const required = requiredOf(schema)
  return base.required.every((name) => required.includes(name))
}

/** Maps the number of each named part's form to its name. */
function namesOf(parts: ReadonlyMap<number, Part>): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  const taken = new Set<string>()
  const derived: { readonly number: number; readonly place: Place }[] = []
  for (const [number, { uses, characters, given, place }] of parts) {
    if (given !== undefined) {
      if (taken.has(given)) throw new Error(`two different schemas have the name ${given}`)
      taken.add(given)
      names.set(number, given)
    } else if (uses > 1 && characters > NAMED_ABOVE_CHARACTERS) derived.push({ number, place })
  }
  const byMember = Map.groupBy(derived, ({ place }) => pascalCase(place.member))
  for (const [member, group] of byMember) {
    const isAlone = group.length === 1 && member !== ""
    for (const { number, place } of group) {
      const wanted = isAlone && !taken.has(member) ? member : pascalCase(place.owner) + member
      let name = wanted
      for (let serial = 2; taken.has(name); serial++) name = `${wanted}${serial}`
      taken.add(name)
      names.set(number, name)
    }
  }
  return names
}

function pascalCase(text: string): string {
  return text.replace(/(?:^|[_.-])([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase())
}
