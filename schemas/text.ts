/**
 * Text schemas with rules that TypeBox's own String cannot express: it counts UTF-16 code units and has no calendar. The published form is
 * plain JSON Schema, and the check applies the same rule. Every check uses the registry, so that compiled checks and `Value.Check` agree.
 */
import { Kind, type TSchema, type TUnsafe, Type, TypeRegistry } from "@sinclair/typebox"
import { hasCodePoints } from "./code-points.ts"
import { IGNORED, USE, type Use } from "./hints.ts"
import { DATE_TIME_PATTERN, readCommonDateTime, readDateTime } from "./rfc3339.ts"

interface TextSchema extends TSchema {
  readonly minLength: number
  readonly maxLength: number
  readonly pattern?: string
}

interface TextMapSchema extends TSchema {
  readonly maxProperties: number
  readonly propertyNames: TextSchema
  readonly additionalProperties: TextSchema
}

const expressions = new Map<string, RegExp>()

function matches(pattern: string, value: string): boolean {
  let expression = expressions.get(pattern)
  if (expression === undefined) {
    expression = new RegExp(pattern, "u")
    expressions.set(pattern, expression)
  }
  return expression.test(value)
}

function isText({ minLength, maxLength, pattern }: TextSchema, value: unknown): boolean {
  return (
    typeof value === "string" &&
    hasCodePoints(value, minLength, maxLength) &&
    (pattern === undefined || matches(pattern, value))
  )
}

function isTextMap({ maxProperties, propertyNames, additionalProperties }: TextMapSchema, value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const members = Object.entries(value)
  return (
    members.length <= maxProperties &&
    members.every(([name, text]) => isText(propertyNames, name) && isText(additionalProperties, text))
  )
}

TypeRegistry.Set<TextSchema>("Text", isText)
TypeRegistry.Set<TextMapSchema>("TextMap", isTextMap)
TypeRegistry.Set("DateTime", (_schema, value) => typeof value === "string" && isDateTime(value))

function isDateTime(value: string): boolean {
  return !Number.isNaN(readCommonDateTime(value)) || readDateTime(value) !== null
}

interface TextOptions {
  readonly pattern?: string
  readonly description?: string
  readonly [USE]?: Use
  readonly [IGNORED]?: true
}

/** A text of `minLength` to `maxLength` Unicode code points. */
export function text(minLength: number, maxLength: number, options: TextOptions = {}): TUnsafe<string> {
  return Type.Unsafe<string>({ [Kind]: "Text", type: "string", minLength, maxLength, ...options })
}

/** At most `maxProperties` texts under names that the caller chooses. Names and values have 1 to `maxLength` code points. */
export function textMap(maxProperties: number, maxLength: number): TUnsafe<Record<string, string>> {
  return mapOf(maxProperties, text(1, maxLength), text(1, maxLength))
}

/** At most `maxProperties` texts under names that the caller chooses. `names` and `values` are schemas that {@link text} returned. */
export function mapOf(
  maxProperties: number,
  names: TUnsafe<string>,
  values: TUnsafe<string>,
): TUnsafe<Record<string, string>> {
  return Type.Unsafe<Record<string, string>>({
    [Kind]: "TextMap",
    type: "object",
    maxProperties,
    propertyNames: names,
    additionalProperties: values,
  })
}

/** A date and time that exists in the calendar. */
export function dateTime(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({
    [Kind]: "DateTime",
    type: "string",
    format: "date-time",
    pattern: DATE_TIME_PATTERN,
    description,
  })
}
