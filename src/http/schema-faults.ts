/**
 * Explains why a value does not match a closed schema: the place, the rule and the expectation of each fault. Never a value that was sent.
 */

import { hasCodePoints } from "../../schemas/code-points.ts"
import { COVERED, type Covered } from "../../schemas/hints.ts"
import { isLeapSecond, readDateTime } from "../../schemas/rfc3339.ts"
import type { FieldError } from "../base/errors.ts"
import { pointerStep } from "../core/json-pointer.ts"
import { expectedWords, type JsonSchema, listed, memberNames, variantsOf } from "./expected-words.ts"

export interface SchemaFault extends FieldError {
  /** Set if the fault is that the service does not cover the request. */
  readonly covered?: Covered
}

type Members = { readonly [name: string]: unknown }

/**
 * Yields every fault of a value in the order of the schema's members. Yields nothing exactly if the compiled check of the schema accepts
 * the value. Throws a TypeError for a schema with an unknown keyword.
 */
export function* schemaFaults(schema: JsonSchema, value: unknown, pointer = ""): Generator<SchemaFault> {
  if ("const" in schema) {
    if (value !== schema["const"]) yield constantFault(schema, value, pointer)
    return
  }
  if (Array.isArray(schema["anyOf"])) {
    yield* unionFaults(schema, value, pointer)
    return
  }
  const { type } = schema
  if (type === undefined) return
  if (typeOf(value) !== type && !(type === "number" && typeOf(value) === "integer")) {
    yield fault(schema, pointer, String(type).toUpperCase())
  } else if (type === "string") yield* textFaults(schema, value as string, pointer)
  else if (type === "integer" || type === "number") yield* numberFaults(schema, value as number, pointer)
  else if (type === "array") yield* arrayFaults(schema, value as readonly unknown[], pointer)
  else if (type === "object") yield* objectFaults(schema, value as Members, pointer)
}

/** A hostile body has thousands of faults of one schema, so the words of a schema are built once. */
const wordsOf = new WeakMap<JsonSchema, string>()

function fault(schema: JsonSchema, pointer: string, code: string): SchemaFault {
  let expected = wordsOf.get(schema)
  if (expected === undefined) {
    expected = expectedWords(schema)
    wordsOf.set(schema, expected)
  }
  return { pointer, code, expected }
}

const expressions = new Map<unknown, RegExp>()

export function matches(pattern: string, value: string): boolean {
  let expression = expressions.get(pattern)
  if (expression === undefined) {
    expression = new RegExp(pattern, "u")
    expressions.set(pattern, expression)
  }
  return expression.test(value)
}

/** A wrong text in place of a constant that declares coverage is reported as not covered. */
function constantFault(schema: JsonSchema, value: unknown, pointer: string): SchemaFault {
  const covered = schema[COVERED] as Covered | undefined
  if (covered === undefined || typeof value !== "string") return fault(schema, pointer, "LITERAL")
  return { ...fault(schema, pointer, covered.code), covered }
}

/** The types of JSON, with `integer` separate from `number`. */
function typeOf(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return Number.isInteger(value) ? "integer" : typeof value
}

function* textFaults(schema: JsonSchema, value: string, pointer: string): Generator<SchemaFault> {
  const { minLength = 0, maxLength = Number.MAX_SAFE_INTEGER, pattern, format } = schema
  if (format === "date-time") {
    if (readDateTime(value) !== null) return
    yield fault(schema, pointer, isLeapSecond(value) ? "LEAP_SECOND_UNSUPPORTED" : "DATE_TIME")
  } else if (!hasCodePoints(value, Number(minLength), Number.MAX_SAFE_INTEGER)) {
    yield fault(schema, pointer, "STRING_MIN_LENGTH")
  } else if (!hasCodePoints(value, 0, Number(maxLength))) yield fault(schema, pointer, "STRING_MAX_LENGTH")
  else if (typeof pattern === "string" && !matches(pattern, value)) {
    yield fault(schema, pointer, "STRING_PATTERN")
  }
}

function* numberFaults(schema: JsonSchema, value: number, pointer: string): Generator<SchemaFault> {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, type } = schema
  const name = String(type).toUpperCase()
  if (value < Number(minimum)) yield fault(schema, pointer, `${name}_MINIMUM`)
  if (value > Number(maximum)) yield fault(schema, pointer, `${name}_MAXIMUM`)
}

/** Checks at most `maxItems` items of a list that is too long. */
function* arrayFaults(schema: JsonSchema, value: readonly unknown[], pointer: string): Generator<SchemaFault> {
  const { minItems = 0, maxItems = Number.MAX_SAFE_INTEGER, uniqueItems, items } = schema
  if (value.length < Number(minItems)) yield fault(schema, pointer, "ARRAY_MIN_ITEMS")
  if (value.length > Number(maxItems)) yield fault(schema, pointer, "ARRAY_MAX_ITEMS")
  if (uniqueItems === true && new Set(value.map((item) => JSON.stringify(item))).size < value.length) {
    yield fault(schema, pointer, "ARRAY_UNIQUE_ITEMS")
  }
  for (const [at, item] of value.slice(0, Number(maxItems)).entries())
    yield* schemaFaults(items as JsonSchema, item, `${pointer}/${at}`)
}

function* objectFaults(schema: JsonSchema, value: Members, pointer: string): Generator<SchemaFault> {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>
  const required = (schema["required"] ?? []) as readonly string[]
  for (const [name, member] of Object.entries(properties)) {
    const at = `${pointer}${pointerStep(name)}`
    if (Object.hasOwn(value, name)) yield* schemaFaults(member, value[name], at)
    else if (required.includes(name)) yield fault(member, at, "OBJECT_REQUIRED_PROPERTY")
  }
  if (Object.keys(value).length > mostMembers(schema)) {
    yield fault(schema, pointer, "OBJECT_MAX_PROPERTIES")
  }
  yield* otherMemberFaults(schema, value, pointer, properties)
}

/** Faults of members that `properties` does not name. Checks at most as many members as the schema allows. */
function* otherMemberFaults(
  schema: JsonSchema,
  value: Members,
  pointer: string,
  properties: Readonly<Record<string, JsonSchema>>,
): Generator<SchemaFault> {
  const { propertyNames, additionalProperties: rest } = schema
  const patterns = Object.entries((schema["patternProperties"] ?? {}) as Readonly<Record<string, JsonSchema>>)
  let expected: string | undefined
  for (const [name, member] of Object.entries(value).slice(0, mostMembers(schema))) {
    if (Object.hasOwn(properties, name)) continue
    const at = `${pointer}${pointerStep(name)}`
    if (propertyNames !== undefined) yield* schemaFaults(propertyNames as JsonSchema, name, at)
    const found = patterns.find(([pattern]) => matches(pattern, name))
    if (found) yield* schemaFaults(found[1], member, at)
    else if (rest === false) {
      expected ??= closedWords(schema)
      yield { pointer: at, code: "OBJECT_ADDITIONAL_PROPERTIES", expected }
    } else if (typeof rest === "object") yield* schemaFaults(rest as JsonSchema, member, at)
  }
}

function mostMembers(schema: JsonSchema): number {
  return Number(schema["maxProperties"] ?? Number.MAX_SAFE_INTEGER)
}

function closedWords(schema: JsonSchema): string {
  const names = memberNames(schema)
  return names.length > 0 ? `no other member than ${listed(names)}` : expectedWords(schema)
}

/**
 * Yields the faults of the alternative that the caller meant. That is the only one of the value's JSON type, else the one that a
 * discriminator names, else the one whose own constant, or failing that whose own member, the value has. If none of these rules applies,
 * one fault lists all alternatives.
 */
function* unionFaults(schema: JsonSchema, value: unknown, pointer: string): Generator<SchemaFault> {
  for (const variant of schema["anyOf"] as JsonSchema[]) if (schemaFaults(variant, value).next().done) return
  const variants = variantsOf(schema)
  const whole = fault(schema, pointer, variants.every((variant) => "const" in variant) ? "ENUM" : "ALTERNATIVES")
  const typed = variants.filter((variant) => !("const" in variant) && variant["type"] === typeOf(value))
  const [only] = typed
  if (only === undefined) yield whole
  else if (typed.length === 1) {
    for (const inner of schemaFaults(only, value, pointer)) {
      yield inner.pointer === pointer ? { ...inner, expected: whole.expected } : inner
    }
  } else if (typeOf(value) === "object") yield* meantFaults(typed, value as Members, pointer, whole)
  else yield whole
}

function* meantFaults(
  variants: readonly JsonSchema[],
  value: Members,
  pointer: string,
  whole: SchemaFault,
): Generator<SchemaFault> {
  const name = discriminatorOf(variants)
  if (name === null) {
    const named = variants.filter((variant) => hasOwnConstant(variant, variants, value))
    const meant = named.length > 0 ? named : variants.filter((variant) => hasOwnMember(variant, variants, value))
    if (meant.length === 1 && meant[0]) yield* schemaFaults(meant[0], value, pointer)
    else yield whole
    return
  }
  const meant = variants.find((variant) => constantOf(variant, name) === value[name])
  if (meant) yield* schemaFaults(meant, value, pointer)
  else {
    const allowed = { anyOf: variants.map((variant) => ({ const: constantOf(variant, name) })) }
    const code = Object.hasOwn(value, name) ? "ENUM" : "OBJECT_REQUIRED_PROPERTY"
    yield fault(allowed, `${pointer}${pointerStep(name)}`, code)
  }
}

/** Returns the member that is a different constant in each alternative, or null if there is none. */
export function discriminatorOf(variants: readonly JsonSchema[]): string | null {
  const [first] = variants
  if (!first) return null
  const isTelling = (name: string) => {
    const constants = variants.map((variant) => constantOf(variant, name))
    return !constants.includes(undefined) && new Set(constants).size === constants.length
  }
  return memberNames(first).find(isTelling) ?? null
}

function constantOf(variant: JsonSchema, name: string): unknown {
  return ((variant["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>)[name]?.["const"]
}

/** True if the value has a constant of this alternative in a member that the others lack. */
function hasOwnConstant(variant: JsonSchema, variants: readonly JsonSchema[], value: Members): boolean {
  const others = new Set(variants.filter((other) => other !== variant).flatMap(memberNames))
  return memberNames(variant).some((name) => {
    const constant = constantOf(variant, name)
    return constant !== undefined && constant === value[name] && !others.has(name)
  })
}

function hasOwnMember(variant: JsonSchema, variants: readonly JsonSchema[], value: Members): boolean {
  const others = new Set(variants.filter((other) => other !== variant).flatMap(memberNames))
  return memberNames(variant).some((name) => Object.hasOwn(value, name) && !others.has(name))
}
