/**
 * Names every input that a draft of a request lacks, and every input that breaks a rule. Pure. Names places, rules and expectations, never
 * values that were sent.
 */

import { ONE_OF } from "../../schemas/hints.ts"
import { isLeapSecond, readDateTime } from "../../schemas/rfc3339.ts"
import { pointerStep } from "../core/json-pointer.ts"
import { isObject } from "../core/strict-json.ts"
import { foldCase } from "../core/text/fold-case.ts"
import { expectedWords, type JsonSchema, memberNames, variantsOf } from "../http/expected-words.ts"
import { discriminatorOf, matches, schemaFaults } from "../http/schema-faults.ts"

export interface InvalidInput {
  /** RFC 6901 pointer into the draft. */
  readonly path: string
  readonly code: InputCode
  /** Allowed values, pattern or bounds, in words. */
  readonly expected: string
}

/** UNKNOWN_MEMBER and MEMBER_NAME are faults of the object at the pointer: the name itself is not repeated. */
type InputCode =
  | "TYPE"
  | "CONST"
  | "ENUM"
  | "ALTERNATIVES"
  | "PATTERN"
  | "MIN"
  | "MAX"
  | "FORMAT"
  | "UNIQUE"
  | "MEMBER_NAME"
  | "UNKNOWN_MEMBER"

export interface WalkedDraft {
  /** Pointers of the absent inputs, in UTF-16 order. */
  readonly missing: readonly string[]
  /** In UTF-16 order of the pointers. */
  readonly invalid: readonly InvalidInput[]
  /** Faults that the lists do not name, because they name {@link INPUTS_MAX} others. */
  readonly omitted: number
  /** Pointers of which the draft needs one. Empty if it has one. */
  readonly missing_one_of: readonly string[]
}

/** Most pointers in one answer, the missing ones first. */
export const INPUTS_MAX = 200

/** Invalid inputs that are kept before the last ones in order are dropped. */
const KEPT_MAX = 8 * INPUTS_MAX

const ABSENT = Symbol("absent")
type Value = unknown | typeof ABSENT
type Members = Readonly<Record<string, unknown>>

/**
 * Returns the faults of a draft of a request. `missing` and `invalid` are empty exactly if the compiled check of the schema accepts the
 * draft.
 */
export function walkSchema(schema: JsonSchema, value: unknown): WalkedDraft {
  const walk = new Walk()
  walk.visit(schema, value, "")
  const missing = walk.missing.toSorted()
  const invalid = inOrder(walk.invalid)
  const named = missing.slice(0, INPUTS_MAX)
  const broken = invalid.slice(0, INPUTS_MAX - named.length)
  return {
    missing: named,
    invalid: broken.map(described),
    omitted: missing.length + invalid.length + walk.dropped - named.length - broken.length,
    missing_one_of: walk.oneOf.toSorted(),
  }
}

function inOrder(faults: readonly Fault[]): Fault[] {
  return faults.toSorted((a, b) => compared(a.path, b.path) || compared(a.code, b.code))
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

interface Fault extends Omit<InvalidInput, "expected"> {
  readonly schema: JsonSchema
}

/** A hostile draft has thousands of faults. Only the ones in the result get their words. */
function described({ path, code, schema }: Fault): InvalidInput {
  const words = expectedWords(schema)
  return { path, code, expected: code === "UNKNOWN_MEMBER" ? `no other member than in: ${words}` : words }
}

class Walk {
  readonly missing: string[] = []
  invalid: Fault[] = []
  /** Invalid inputs that are not in `invalid` any more. */
  dropped = 0
  readonly oneOf: string[] = []

  visit(schema: JsonSchema, value: Value, at: string): void {
    if (Array.isArray(schema["anyOf"])) this.union(schema, value, at)
    else if (schema["type"] === "object") this.object(schema, value, at)
    else if (value === ABSENT) this.missing.push(at)
    else if (schema["type"] === "array") this.array(schema, value, at)
    else {
      const code = leafFault(schema, value)
      if (code !== null) this.fault(schema, at, code)
    }
  }

  private fault(schema: JsonSchema, path: string, code: InputCode): void {
    this.invalid.push({ path, code, schema })
    if (this.invalid.length < KEPT_MAX) return
    // A hostile draft has tens of thousands of faults, and sorting them all takes long.
    this.dropped += this.invalid.length - INPUTS_MAX
    this.invalid = inOrder(this.invalid).slice(0, INPUTS_MAX)
  }

  /** Names the required members of an absent object. An absent map is one input. */
  private object(schema: JsonSchema, value: Value, at: string): void {
    const names = memberNames(schema)
    const required = (schema["required"] ?? []) as readonly string[]
    this.checkOneOf(schema, value, at)
    if (value === ABSENT && required.length === 0) this.missing.push(at)
    else if (value !== ABSENT && !isObject(value)) this.fault(schema, at, "TYPE")
    else {
      const members = value === ABSENT ? {} : (value as Members)
      const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>
      for (const [name, member] of Object.entries(properties)) {
        const isPresent = Object.hasOwn(members, name)
        if (isPresent || required.includes(name)) {
          this.visit(member, isPresent ? members[name] : ABSENT, `${at}${pointerStep(name)}`)
        }
      }
      const others = Object.keys(members).filter((name) => !names.includes(name))
      this.others(schema, members, others, at)
    }
  }

  /** Checks the members that `properties` does not name: the values of a map, and members that nothing allows. */
  private others(schema: JsonSchema, members: Members, names: readonly string[], at: string): void {
    const { propertyNames, additionalProperties: rest, maxProperties: most = Number.MAX_SAFE_INTEGER } = schema
    const patterns = Object.entries((schema["patternProperties"] ?? {}) as Readonly<Record<string, JsonSchema>>)
    if (Object.keys(members).length > Number(most)) this.fault(schema, at, "MAX")
    let hasUnknown = false
    let hasBadName = false
    for (const name of names) {
      const schemaOfName = propertyNames as JsonSchema | undefined
      const pattern = patterns.find(([one]) => matches(one, name))
      if (schemaOfName && leafFault(schemaOfName, name) !== null) hasBadName = true
      else if (pattern) this.visit(pattern[1], members[name], `${at}${pointerStep(name)}`)
      else if (rest === false) hasUnknown = true
      else if (typeof rest === "object") this.visit(rest as JsonSchema, members[name], `${at}${pointerStep(name)}`)
    }
    if (hasBadName) this.fault(schema, at, "MEMBER_NAME")
    if (hasUnknown) this.fault(schema, at, "UNKNOWN_MEMBER")
  }

  /** Notes the names of which a map needs one. */
  private checkOneOf(schema: JsonSchema, value: Value, at: string): void {
    const names = schema[ONE_OF] as readonly string[] | undefined
    if (names === undefined) return
    const given = isObject(value) ? Object.keys(value).map(foldCase) : []
    if (!names.some((name) => given.includes(name)))
      this.oneOf.push(...names.map((name) => `${at}${pointerStep(name)}`))
  }

  private array(schema: JsonSchema, value: Value, at: string): void {
    if (!Array.isArray(value)) {
      this.fault(schema, at, "TYPE")
      return
    }
    const { minItems = 0, maxItems = Number.MAX_SAFE_INTEGER, uniqueItems, items } = schema
    if (value.length < Number(minItems)) this.fault(schema, at, "MIN")
    if (value.length > Number(maxItems)) this.fault(schema, at, "MAX")
    if (uniqueItems === true && new Set(value.map((item) => JSON.stringify(item))).size < value.length) {
      this.fault(schema, at, "UNIQUE")
    }
    for (const [index, item] of value.entries()) {
      this.visit(items as JsonSchema, item, `${at}/${index}`)
    }
  }

  private union(schema: JsonSchema, value: Value, at: string): void {
    if (value !== ABSENT && isAccepted(schema, value)) return
    const variants = variantsOf(schema).filter(({ type }) => type !== "null")
    const [only] = variants
    if (only !== undefined && variants.length === 1) this.visit(only, value, at)
    else if (value === ABSENT) this.missing.push(at)
    else if (variants.every((variant) => "const" in variant)) this.fault(schema, at, "ENUM")
    else this.branch(schema, variants, value, at)
  }

  /** Checks the branch that a constant member names. */
  private branch(schema: JsonSchema, variants: readonly JsonSchema[], value: Value, at: string): void {
    const name = isObject(value) ? discriminatorOf(variants) : null
    if (name === null) {
      this.fault(schema, at, "ALTERNATIVES")
      return
    }
    const named = (variant: JsonSchema) => (variant["properties"] as Readonly<Record<string, JsonSchema>>)[name] ?? {}
    const choice = { anyOf: variants.map(named) }
    const given = (value as Members)[name]
    const meant = variants.find((variant) => named(variant)["const"] === given)
    if (meant) this.visit(meant, value, at)
    else if (Object.hasOwn(value as Members, name)) this.fault(choice, `${at}${pointerStep(name)}`, "ENUM")
    else this.missing.push(`${at}${pointerStep(name)}`)
  }
}

function isAccepted(schema: JsonSchema, value: unknown): boolean {
  return schemaFaults(schema, value).next().done === true
}

/** Returns the first rule that a value breaks, in the order TYPE, CONST, PATTERN, MIN, MAX, FORMAT, or null. */
function leafFault(schema: JsonSchema, value: unknown): InputCode | null {
  if (isAccepted(schema, value)) return null
  if (!hasType(schema, value)) return "TYPE"
  if ("const" in schema) return "CONST"
  if (typeof value === "string") return textFault(schema, value)
  return Number(value) < Number(schema["minimum"] ?? Number.NEGATIVE_INFINITY) ? "MIN" : "MAX"
}

/** A leap second has the form of a date-time, so it is a fault of FORMAT. */
function textFault({ pattern, minLength = 0, format }: JsonSchema, value: string): InputCode {
  if (typeof pattern === "string" && !matches(pattern, value) && !isLeapSecond(value)) return "PATTERN"
  if (format === "date-time" && readDateTime(value) === null) return "FORMAT"
  return [...value].length < Number(minLength) ? "MIN" : "MAX"
}

function hasType({ type, const: constant }: JsonSchema, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value)
  if (type === "null") return value === null
  return typeof value === (type ?? typeof constant)
}
