/**
 * Prints the schema of a body as the input of a tool, in the few keywords that every agent library reads: one type for each member, or null
 * for one that may be left out; listed values in place of constants; no reference and no rule about unknown members. It says less than the
 * schema of the route, which checks each call (rulings 97).
 */
import type { TSchema } from "@sinclair/typebox"
import { IGNORED, NEVER_REQUESTED, ONE_OF, SHORT_FORM } from "../../../schemas/hints.ts"
import { wordsOf } from "./member-words.ts"
import type { Members } from "./tool.ts"

/** A printed schema. */
type Printed = Readonly<Record<string, unknown>>

interface InputSchema extends Printed {
  readonly type: "object"
  readonly properties: Readonly<Record<string, Printed>>
  readonly required?: readonly string[]
}

/** A schema as the rows have it: JSON, with hints under symbols. */
interface Source {
  readonly [member: string | symbol]: unknown
  readonly type?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Source[]
  readonly items?: Source
  readonly properties?: Readonly<Record<string, Source>>
  readonly required?: readonly string[]
  readonly description?: string
}

/** Keywords that are printed as they are. Other limits are left to the route: every agent reads the whole list into its context. */
const KEPT = ["format", "minItems", "maxItems"] as const
/** A pattern with a fixed beginning, such as that of a digest: a model cannot guess it from the words. */
const NAMES_A_FORM = /^\^(0x|[a-z0-9:]+[:_-])/

/** Prints an object. Throws for a union, and for a member without a type or a description: a fault of the program. */
export function inputSchema(schema: TSchema): InputSchema {
  const source = schema as unknown as Source
  if (source.type !== "object") throw new TypeError("the input of a tool is one object")
  return { type: "object", properties: {}, ...membersOf(source, "") }
}

/** The variant of a schema that has the member, with this constant if one is given. A schema without a union is its own variant. */
export function variantOf(schema: TSchema, member: string, value?: string): TSchema {
  const source = schema as unknown as Source
  const found = (source.anyOf ?? [source]).find(({ properties }) => {
    const one = properties?.[member]
    return one !== undefined && (value === undefined || one.const === value)
  })
  if (found === undefined) throw new TypeError(`no variant has ${member}`)
  return found as unknown as TSchema
}

/** The constants that an object requires. */
export function constantsOf(schema: TSchema): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = schema as unknown as Source
  const constants = required.map((name) => [name, properties[name]?.const] as const)
  return Object.fromEntries(constants.filter(([, value]) => value !== undefined))
}

/**
 * Returns the arguments as the route takes them: null for an absent member that its schema requires and that may be null, and no member for
 * null where the schema has none. In the input of a tool both mean the same, because a library that fills in every member writes null.
 */
export function asRouteTakes(schema: TSchema, given: Members): Members {
  return settled(schema as unknown as Source, given) as Members
}

function settled(source: Source, value: unknown): unknown {
  const [only] = requestedOf(source)
  if (only === undefined || typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return only.items ? value.map((item) => settled(only.items as Source, item)) : value
  const { properties = {}, required = [] } = only
  const isKept = ([name, one]: [string, unknown]) => one !== null || !isOptional(only, name)
  const given = Object.entries(value)
    .filter(isKept)
    .map(([name, one]) => [name, settled(properties[name] ?? {}, one)] as const)
  const absent = required.filter((name) => !Object.hasOwn(value, name) && mayBeNull(properties[name]))
  return Object.fromEntries([...given, ...absent.map((name) => [name, null] as const)])
}

/** True for a member that the schema has, that may be left out and that may not be null; and for each name of a map that lists some. */
function isOptional(source: Source, name: string): boolean {
  const member = source.properties?.[name]
  if (member === undefined) return ONE_OF in source
  return !source.required?.includes(name) && !mayBeNull(member)
}

function mayBeNull(source: Source | undefined): boolean {
  return source?.anyOf?.some(({ type }) => type === "null") ?? false
}

/** What a caller may send: the variants of a schema without null, short forms and what is accepted only to be rejected by name. */
function requestedOf(source: Source): readonly Source[] {
  return (
    source.anyOf?.filter((one) => one.type !== "null" && !(NEVER_REQUESTED in one || SHORT_FORM in one)) ?? [source]
  )
}

function membersOf({ properties = {}, required = [] }: Source, parent: string): Partial<InputSchema> {
  const names = Object.keys(properties).filter((name) => !(IGNORED in (properties[name] ?? {})))
  if (names.length === 0) return {}
  const needed = required.filter((name) => !mayBeNull(properties[name]))
  const printed = names.map((name) => {
    const { description, ...schema } = member(properties[name] ?? {}, name, parent)
    return [name, { ...(needed.includes(name) ? schema : orNull(schema)), description }] as const
  })
  return { properties: Object.fromEntries(printed), ...(needed.length > 0 && { required: needed }) }
}

/**
 * A member that may be left out may also be null: a strict library requires every member. Null is another variant, because some libraries
 * read one type for a schema, and no list of types.
 */
function orNull(schema: Printed): Printed {
  return { anyOf: [schema, { type: "null" }] }
}

function member(source: Source, name: string, parent: string): Printed {
  const [one, ...others] = requestedOf(source)
  const texts = listedTexts([one ?? {}, ...others])
  if (one === undefined || (others.length > 0 && texts === null)) throw new TypeError(`${name} has several types`)
  const words = wordsOf(parent, name) ?? source.description ?? one.description
  if (words === undefined) throw new TypeError(`${parent}.${name} needs a line in member-words.ts`)
  return { ...(texts ? { type: "string", enum: texts } : typed(one, name)), description: words + limitsOf(one) }
}

function listedTexts(variants: readonly Source[]): readonly string[] | null {
  if (variants.length < 2) return null
  const texts = variants.map((variant) => variant.const)
  return texts.every((text) => typeof text === "string") ? texts : null
}

function typed(source: Source, name: string): Printed {
  const { type, items } = source
  if (source.const !== undefined) return { type: type ?? typeof source.const, enum: [source.const] }
  if (source.enum) return { type: type ?? "string", enum: source.enum }
  const { pattern } = source
  const form = typeof pattern === "string" && NAMES_A_FORM.test(pattern) ? { pattern } : {}
  const rules = { ...Object.fromEntries(KEPT.flatMap((k) => (k in source ? [[k, source[k]]] : []))), ...form }
  if (type === "array") return { type, items: itemOf(items ?? {}, name), ...rules }
  if (type === "object") return { type, ...namedOf(source), ...membersOf(source, name) }
  // Any JSON. An object is what nearly every caller means, and the only one of its types that libraries agree on.
  if (type === undefined) return { type: "object" }
  return { type, ...rules }
}

function itemOf(source: Source, name: string): Printed {
  const [one, ...others] = requestedOf(source)
  const texts = listedTexts([one ?? {}, ...others])
  if (texts) return { type: "string", enum: texts }
  if (one === undefined || others.length > 0) throw new TypeError(`the items of ${name} have several types`)
  return typed(one, name)
}

/** The names of a map, where the schema has some. */
function namedOf(source: Source): Printed {
  const names = source[ONE_OF] as readonly string[] | undefined
  if (names === undefined) return {}
  const values = names.map(
    (name) => [name, { ...orNull({ type: "string" }), description: wordsOf("identifiers", name) ?? name }] as const,
  )
  return { properties: Object.fromEntries(values) }
}

/** A limit that has no common keyword, in words. */
function limitsOf(source: Source): string {
  return source["uniqueItems"] === true ? "; each once" : ""
}
