/** Describes what a schema expects, with every allowed value, pattern and bound. */
import { NEVER_REQUESTED } from "../../schemas/hints.ts"

export type JsonSchema = { readonly [keyword: string | symbol]: unknown }

/** Maximum number of allowed values or member names in one sentence. */
const LISTED_MAX = 20

/** Returns for example `text of 8 to 120 characters`, `one of "LOW", "MEDIUM", "HIGH"`, `object with the members type, value`. */
export function expectedWords(schema: JsonSchema): string {
  if ("const" in schema) return JSON.stringify(schema["const"])
  if (Array.isArray(schema["anyOf"])) return anyOfWords(variantsOf(schema))
  switch (schema["type"]) {
    case "string":
      return textWords(schema)
    case "integer":
    case "number":
      return `${schema["type"]}${bounds(schema, VALUE)}`
    case "array":
      return `array${bounds(schema, ITEMS)}${schema["uniqueItems"] === true ? ", each once" : ""}`
    case "object":
      return objectWords(schema)
    case "boolean":
      return "true or false"
    case "null":
      return "null"
    default:
      return "any JSON value"
  }
}

/** Returns the alternatives of a union, nested unions included, without the alternatives that no caller should send. */
export function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  if (schema[NEVER_REQUESTED] === true) return []
  const { anyOf } = schema
  return Array.isArray(anyOf) ? (anyOf as JsonSchema[]).flatMap(variantsOf) : [schema]
}

/** Joins at most twenty texts and states how many more there are. */
export function listed(texts: readonly string[]): string {
  const more = texts.length - LISTED_MAX
  return texts.slice(0, LISTED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "")
}

export function memberNames(schema: JsonSchema): readonly string[] {
  return Object.keys((schema["properties"] ?? {}) as object)
}

function anyOfWords(variants: readonly JsonSchema[]): string {
  const constants = variants.filter((variant) => "const" in variant)
  if (constants.length === variants.length && variants.length > 1) {
    return `one of ${listed(constants.map(expectedWords))}`
  }
  return listed(variants.map(expectedWords))
    .replaceAll(", object", ", or object")
    .replace(/, null$/, " or null")
}

function textWords(schema: JsonSchema): string {
  if (schema["format"] === "date-time") return String(schema["description"])
  const { pattern, description } = schema
  const form = typeof pattern === "string" ? ` that matches ${pattern}` : ""
  const meaning = typeof description === "string" ? ` (${description})` : ""
  return `text${bounds(schema, CHARACTERS)}${form}${meaning}`
}

function objectWords(schema: JsonSchema): string {
  const names = memberNames(schema)
  if (names.length > 0) return `object with the members ${listed(requiredOf(schema))}${optionalWords(schema)}`
  const { propertyNames, additionalProperties: rest, patternProperties, maxProperties: most } = schema
  const count = typeof most === "number" ? `at most ${most} members` : "members"
  const [pattern] = Object.keys((patternProperties ?? {}) as object)
  if (typeof rest === "object" && typeof propertyNames === "object") {
    const [name, value] = [expectedWords(propertyNames as JsonSchema), expectedWords(rest as JsonSchema)]
    return `object of ${count}: names are ${name}, values are ${value}`
  }
  return pattern === undefined ? "object" : `object of ${count} whose names match ${pattern}`
}

function requiredOf(schema: JsonSchema): readonly string[] {
  return (schema["required"] ?? []) as readonly string[]
}

function optionalWords(schema: JsonSchema): string {
  const required = requiredOf(schema)
  const optional = memberNames(schema).filter((name) => !required.includes(name))
  if (optional.length === 0) return ""
  return required.length === 0 ? `${listed(optional)}, each optional` : `; optional: ${listed(optional)}`
}

/** What a schema bounds: the names of its least and most, and the words around them. */
interface Measure {
  readonly least: string
  readonly most: string
  readonly before: string
  readonly unit: string
}

const VALUE: Measure = { least: "minimum", most: "maximum", before: " from", unit: "" }
const ITEMS: Measure = { least: "minItems", most: "maxItems", before: " of", unit: " items" }
const CHARACTERS: Measure = { least: "minLength", most: "maxLength", before: " of", unit: " characters" }

/** Returns ` of 8 to 120 characters`, ` of at least 1 items`, or an empty text. */
function bounds(schema: JsonSchema, { least, most, before, unit }: Measure): string {
  const [min, max] = [schema[least], schema[most]]
  if (typeof min === "number" && typeof max === "number") {
    return min === max ? `${before} ${min}${unit}` : `${before} ${min} to ${max}${unit}`
  }
  if (typeof max === "number") return `${before} at most ${max}${unit}`
  return typeof min === "number" && min > 0 ? `${before} at least ${min}${unit}` : ""
}
