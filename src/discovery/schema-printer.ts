/**
 * Prints TypeBox schemas as plain JSON Schema 2020-12.
 *
 * {@link plainSchema} returns one schema without references to others. {@link SchemaComponents} prints many schemas that share parts: each part stands
 * once under a name, and every other place refers to it.
 */
import type { TSchema } from "@sinclair/typebox"

type Json = null | boolean | number | string | readonly Json[] | JsonObject
interface JsonObject {
  readonly [member: string]: Json
}
/** A JSON Schema without TypeBox symbols and without `$id`. */
export type PlainSchema = JsonObject

/** A part that occurs twice gets a name only if it has more characters than this. A reference has about fifty. */
const NAMED_ABOVE_CHARACTERS = 120

/** Keywords whose value is one schema. */
const ONE = ["items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else"]
/** Keywords whose value is an array of schemas. */
const LISTS = ["prefixItems", "anyOf", "allOf", "oneOf"]
/** Keywords whose value is an object of schemas. */
const MAPS = ["properties", "patternProperties"]

/** Returns the schema as JSON Schema 2020-12 without references: tuples as `prefixItems`, unions of texts as `enum`, no `$id`, no symbol. */
export function plainSchema(schema: TSchema): PlainSchema {
  return plain(jsonOf(schema))
}

/** Position of a part. Its name is made from this. */
interface Place {
  /** Name of the nearest schema around the part that has one. */
  readonly owner: string
  readonly member: string
}

interface Part {
  uses: number
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
  /** By the text of the plain form. */
  readonly #parts = new Map<string, Part>()
  readonly #known: ReadonlyMap<string, string>
  readonly #bases: readonly Base[]
  readonly #components = new Map<string, PlainSchema>()
  #names: ReadonlyMap<string, string> | null = null

  /**
   * `known`: these parts always get this name, even if they are short. `bases`: members that several objects have. Such an object prints
   * as its bases and its own members; a closed one is closed by `unevaluatedProperties`.
   */
  constructor(known: Readonly<Record<string, TSchema>> = {}, bases: Readonly<Record<string, TSchema>> = {}) {
    this.#known = new Map(Object.entries(known).map(([name, schema]) => [schemaText(schema), name]))
    this.#bases = Object.entries(bases)
      .map(([name, schema]) => ({ name, schema: jsonOf(schema) }))
      .toSorted((a, b) => membersOf(b.schema).length - membersOf(a.schema).length)
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

  private count(schema: JsonObject, place: Place): void {
    const key = keyOf(schema)
    const seen = this.#parts.get(key)
    if (seen) seen.uses++
    // If a part gets no name, its own parts are printed again at every place.
    if (seen && !isNullable(schema)) return
    const given = typeof schema["$id"] === "string" ? schema["$id"] : this.#known.get(key)
    if (!isNullable(schema) || given !== undefined) this.#parts.set(key, { uses: 1, given, place })
    mapParts(schema, (part, member) => {
      this.count(part, { owner: given ?? place.owner, member: member ?? place.member })
      return null
    })
  }

  private printed(schema: JsonObject, names: ReadonlyMap<string, string>): PlainSchema {
    const name = names.get(keyOf(schema))
    if (name === undefined) return this.form(schema, names)
    if (!this.#components.has(name)) this.#components.set(name, this.form(schema, names, name))
    return { $ref: `#/components/schemas/${name}` }
  }

  private onBases(bases: readonly Base[], schema: JsonObject, names: ReadonlyMap<string, string>): PlainSchema {
    for (const { name, schema: base } of bases) {
      if (!this.#components.has(name)) this.#components.set(name, this.form(base, names, name))
    }
    const shared = bases.flatMap((base) => membersOf(base.schema))
    const settled = bases.flatMap((base) => requiredOf(base.schema))
    const isClosedByBase = bases.some((base) => isClosed(base.schema))
    const { $id: _, additionalProperties: __, properties, required: ___, ...others } = schema
    const own = Object.entries(properties as JsonObject).filter(([member]) => !shared.includes(member))
    const needed = requiredOf(schema).filter((member) => !settled.includes(member))
    const rest = {
      ...(own.length > 0 && { properties: Object.fromEntries(own) }),
      ...(needed.length > 0 && { required: needed }),
    }
    return {
      ...others,
      allOf: bases.map(({ name }) => ({ $ref: `#/components/schemas/${name}` })),
      ...mapParts(rest, (part) => this.printed(part, names)),
      ...(isClosed(schema) && !isClosedByBase && { unevaluatedProperties: false }),
    }
  }

  /** `own`: the name of the part that is printed. */
  private form(schema: JsonObject, names: ReadonlyMap<string, string>, own?: string): PlainSchema {
    const bases = basesOf(
      this.#bases.filter(({ name }) => name !== own),
      schema,
    )
    if (bases.length > 0) return this.onBases(bases, schema, names)
    return compact(mapParts(schema, (part) => this.printed(part, names)))
  }
}

/**
 * Returns a schema that accepts the same values in fewer characters: null as a type or a listed value, and no type beside a constant or
 * listed values, which have one.
 */
export function compact(schema: PlainSchema): PlainSchema {
  const { type, ...others } = withNull(schema)
  return type === undefined || "const" in others || "enum" in others ? others : { type, ...others }
}

/** A schema that allows null beside values of one type, or beside listed values, as one list of types or values. */
function withNull(schema: PlainSchema): PlainSchema {
  if (!isNullable(schema)) return schema
  const { anyOf, ...outer } = schema
  const [one] = (anyOf as readonly JsonObject[]).filter(({ type }) => type !== "null")
  if (one === undefined || ("description" in outer && "description" in one)) return schema
  const { type, const: value, enum: values, ...rest } = one
  if (value !== undefined) return { ...rest, ...outer, enum: [value, null] }
  if (Array.isArray(values)) return { ...rest, ...outer, enum: [...values, null] }
  return typeof type === "string" ? { type: [type, "null"], ...rest, ...outer } : schema
}

/** Members of several objects. */
interface Base {
  readonly name: string
  readonly schema: JsonObject
}

function membersOf({ properties }: JsonObject): readonly string[] {
  return isObject(properties) ? Object.keys(properties) : []
}

/** Returns the bases of an object, none with a member of another. `bases`: those with more members first. */
function basesOf(bases: readonly Base[], schema: JsonObject): readonly Base[] {
  const found: Base[] = []
  const taken = new Set<string>()
  for (const base of bases) {
    const members = membersOf(base.schema)
    if (members.some((member) => taken.has(member)) || !isBaseOf(base, schema)) continue
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
 * True if the schema is an object with every member of the base, each with the same schema. It may require more of them. A closed base
 * has all members of the schema.
 */
function isBaseOf({ schema: base }: Base, schema: JsonObject): boolean {
  const { properties: members, additionalProperties: others } = schema
  if (isObject(others) || !isObject(members) || !isObject(base["properties"])) return false
  if (isClosed(base) && !(isClosed(schema) && membersOf(base).length === membersOf(schema).length)) return false
  const required = requiredOf(schema)
  return (
    requiredOf(base).every((name) => required.includes(name)) &&
    Object.entries(base["properties"]).every(([name, part]) => {
      const member = members[name]
      return isObject(member) && isObject(part) && keyOf(member) === keyOf(part)
    })
  )
}

/** True for a schema that allows null and one other. It gets no name: its other half has one. */
function isNullable({ anyOf }: JsonObject): boolean {
  return (
    Array.isArray(anyOf) && anyOf.length === 2 && anyOf.some((one: Json) => isObject(one) && one["type"] === "null")
  )
}

/** Maps the key of each named part to its name. */
function namesOf(parts: ReadonlyMap<string, Part>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const derived: { readonly key: string; readonly place: Place }[] = []
  for (const [key, { uses, given, place }] of parts) {
    if (given !== undefined) {
      if (taken.has(given)) throw new Error(`two different schemas have the name ${given}`)
      taken.add(given)
      names.set(key, given)
    } else if (uses > 1 && key.length > NAMED_ABOVE_CHARACTERS) derived.push({ key, place })
  }
  const byMember = Map.groupBy(derived, ({ place }) => pascalCase(place.member))
  for (const [member, group] of byMember) {
    const isAlone = group.length === 1 && member !== ""
    for (const { key, place } of group) {
      const wanted = isAlone && !taken.has(member) ? member : pascalCase(place.owner) + member
      let name = wanted
      for (let serial = 2; taken.has(name); serial++) name = `${wanted}${serial}`
      taken.add(name)
      names.set(key, name)
    }
  }
  return names
}

function pascalCase(text: string): string {
  return text.replace(/(?:^|[_.-])([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase())
}

const plainForms = new WeakMap<JsonObject, PlainSchema>()
const keys = new WeakMap<JsonObject, string>()

/** A TypeBox schema is a JSON object but for its symbols, which nothing here copies. Parts that are one object are read once. */
function jsonOf(schema: TSchema): JsonObject {
  return schema as unknown as JsonObject
}

function plain(schema: JsonObject): PlainSchema {
  let form = plainForms.get(schema)
  if (form === undefined) {
    form = mapParts(schema, plain)
    plainForms.set(schema, form)
  }
  return form
}

/** Returns the text of the plain form: two schemas have the same text if they accept the same values and describe them alike. */
export function schemaText(schema: TSchema): string {
  return keyOf(jsonOf(schema))
}

function keyOf(schema: JsonObject): string {
  let key = keys.get(schema)
  if (key === undefined) {
    key = JSON.stringify(plain(schema))
    keys.set(schema, key)
  }
  return key
}

/** Returns the replacement of a part. `member` is absent for a part without a name of its own: an item or a variant. */
type PrintPart = (part: JsonObject, member?: string) => Json

/** Returns the 2020-12 form of one schema, with `print` of each of its parts. A schema that has the form already keeps it. */
export function mapParts(schema: JsonObject, print: PrintPart): PlainSchema {
  const { $id: _, additionalItems: __, ...rest } = schema
  const texts = textsOf(rest["anyOf"])
  if (texts) {
    const { anyOf: ___, ...others } = rest
    return Object.fromEntries(Object.entries({ type: "string", enum: texts, ...others }))
  }
  const { items, ...others } = rest
  const form = Array.isArray(items) ? { ...others, prefixItems: items, items: false } : rest
  return Object.fromEntries(Object.entries(form).map(([keyword, value]) => [keyword, mapValue(keyword, value, print)]))
}

function mapValue(keyword: string, value: Json, print: PrintPart): Json {
  if (ONE.includes(keyword)) return isObject(value) ? print(value) : value
  if (LISTS.includes(keyword) && Array.isArray(value)) {
    return value.map((part: Json) => (isObject(part) ? print(part) : part))
  }
  if (MAPS.includes(keyword) && isObject(value)) {
    const members = Object.entries(value)
    return Object.fromEntries(members.map(([name, part]) => [name, isObject(part) ? print(part, name) : part]))
  }
  return value
}

/** Returns the texts of a union of nothing but text constants, or null. */
function textsOf(variants: Json | undefined): readonly string[] | null {
  if (!Array.isArray(variants)) return null
  const texts: string[] = []
  for (const variant of variants as readonly Json[]) {
    if (!isObject(variant) || Object.keys(variant).length !== 2 || variant["type"] !== "string") return null
    if (typeof variant["const"] !== "string") return null
    texts.push(variant["const"])
  }
  return texts
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
