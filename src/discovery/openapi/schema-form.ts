/**
 * Prints one schema in the form that client generators read. JSON Schema 2020-12 often has several forms for one constraint, and generators
 * read one of them. A constant is an enum of one value, a constant truth value is a description, a tuple states its length, a map has a
 * schema for its values, and a nullable value lists `null` as one of its types (rulings 97).
 */
import { isObject } from "../../core/strict-json.ts"
import type { Json, PlainSchema } from "../plain-schema.ts"

/** What TypeBox prints for a map with any text as name. */
const ANY_NAME = "^(.*)$"

/** A member that is always null. Generators have no type for null alone. */
const ALWAYS_NULL = { type: ["string", "null"], maxLength: 0, description: "Always null" } as const

const NULL = { type: "null" } as const

/** `schema`: one schema without alternatives, with its parts in this form. `isReply`: objects accept members that they do not name. */
export function generatorForm(schema: PlainSchema, isReply: boolean): PlainSchema {
  const { const: value, items, ...others } = schema
  if (others["type"] === "null") return ALWAYS_NULL
  if (typeof value === "boolean") return constantTruth(others, value)
  if (value !== undefined) return { ...others, enum: [value] }
  if (others["type"] === "object") return objectForm(others, isReply)
  return others["prefixItems"] === undefined && items !== undefined ? { ...others, ...listForm(items) } : others
}

/** A generator of Java makes code that does not compile of listed truth values. */
function constantTruth({ description, ...others }: PlainSchema, value: boolean): PlainSchema {
  const always = `Always ${value}`
  return { ...others, description: typeof description === "string" ? `${description}. ${always}` : always }
}

function objectForm(schema: PlainSchema, isReply: boolean): PlainSchema {
  const { properties, additionalProperties, patternProperties, ...others } = schema
  const named = isObject(properties) && Object.keys(properties).length > 0 ? { properties } : {}
  if (isObject(patternProperties)) return { ...others, ...named, ...mapForm(patternProperties) }
  if (isObject(additionalProperties)) return { ...others, ...named, additionalProperties }
  if (additionalProperties === false && !isReply) return { ...others, ...named, additionalProperties }
  // A reply with named members has no word about others: with one, generated types accept any misspelt member.
  return { ...others, ...named, ...(isReply && "properties" in named ? {} : { additionalProperties: {} }) }
}

/** A list of nothing is a list of at most no items. */
function listForm(items: Json): PlainSchema {
  return isObject(items) && "not" in items ? { maxItems: 0, items: {} } : { items }
}

function mapForm(patternProperties: { readonly [pattern: string]: Json }): PlainSchema {
  const [[pattern, values] = [], ...more] = Object.entries(patternProperties)
  if (pattern === undefined || values === undefined || more.length > 0) {
    throw new TypeError("a map has one pattern for its names")
  }
  return { ...(pattern !== ANY_NAME && { propertyNames: { pattern } }), additionalProperties: values }
}

/**
 * Returns the schema that also accepts null. A description stays outside. Null is an alternative to listed texts, not one of them: a
 * generator makes a list of texts of all listed values.
 */
export function orNull(schema: PlainSchema): PlainSchema {
  const { description, ...rest } = schema
  const outer = description === undefined ? {} : { description }
  const { type, anyOf, ...others } = rest
  if (Array.isArray(anyOf)) return { ...outer, ...others, anyOf: [...(anyOf as readonly Json[]), NULL] }
  if (typeof type !== "string" || "enum" in rest) return { ...outer, anyOf: [rest, NULL] }
  return { type: [type, "null"], ...outer, ...others }
}

/** Returns the list of texts as a schema. `name`: unique in the document, so that the names of the values are unique too. */
export function textList(texts: readonly string[], name: string): PlainSchema {
  if (texts.length === 1) return { type: "string", enum: texts }
  return {
    type: "string",
    enum: texts,
    "x-enum-varnames": texts.map((text) => `${constantCase(name)}_${constantCase(text)}`),
  }
}

/** `AnswerDecision` and `gb.payment` become `ANSWER_DECISION` and `GB_PAYMENT`. */
function constantCase(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase()
}

/** `get_gb_execution`, `valid-until` and `NOT_LOGGED` become `GetGbExecution`, `ValidUntil` and `NotLogged`. */
export function pascalCase(text: string): string {
  const words = /[a-z]/.test(text) ? text : text.toLowerCase()
  return words.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]|$)/g, (_, first: string) => first.toUpperCase())
}
