/** Random values of a closed TypeBox schema, for property tests. Supports the kinds of schema that our signed forms use. */
import { Kind, type TObject, type TSchema, Type } from "@sinclair/typebox"
import fc from "fast-check"
import { DRAFT_OF } from "../../schemas/hints.ts"

/** Throws for an unknown kind: a schema must not pass because no value was generated for it. */
export function sample(schema: TSchema): fc.Arbitrary<unknown> {
  switch (schema[Kind]) {
    case "Literal":
      return fc.constant(schema.const)
    case "Null":
      return fc.constant(null)
    case "Boolean":
      return fc.boolean()
    case "Integer":
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000_000 })
    case "String":
    case "Text":
      return text(schema)
    case "DateTime":
      return dateTime
    case "TextMap":
      return fc.dictionary(memberName(text(schema.propertyNames)), text(schema.additionalProperties), { maxKeys: 3 })
    case "Union":
      return fc.oneof(...(schema.anyOf as TSchema[]).map(sample))
    case "Tuple":
      return fc.tuple(...((schema.items ?? []) as TSchema[]).map(sample))
    case "Array": {
      const minLength: number = schema.minItems ?? 0
      // Nested lists of objects would multiply.
      const most = schema.items?.[Kind] === "Object" ? 1 : 3
      const limits = { minLength, maxLength: Math.max(minLength, Math.min(schema.maxItems ?? most, most)) }
      return schema.uniqueItems ? fc.uniqueArray(sample(schema.items), limits) : fc.array(sample(schema.items), limits)
    }
    case "Record": {
      const [[name, member] = ["", null]] = Object.entries(schema.patternProperties as Record<string, TSchema>)
      if (!member) throw new TypeError("a record without a pattern")
      return fc.dictionary(memberName(fc.stringMatching(new RegExp(name))), sample(member), { maxKeys: 3 })
    }
    case "Object": {
      const { [DRAFT_OF]: request } = schema as { readonly [DRAFT_OF]?: TObject }
      if (request) return sample(Type.Partial(request))
      const required: string[] = schema.required ?? []
      const members = Object.entries(schema.properties as Record<string, TSchema>)
      return fc.record(Object.fromEntries(members.map(([name, member]) => [name, sample(member)])), {
        requiredKeys: required,
      })
    }
    case "Number":
      return fc.integer({ min: 0, max: 1_000_000 })
    case "Unknown":
      return anything
    default:
      throw new TypeError(`no sample of the kind ${schema[Kind]}`)
  }
}

const anyText = fc.string({ minLength: 1, maxLength: 20 })
const anything = fc.oneof(
  anyText,
  fc.record({ text: anyText, deep: fc.array(anyText, { minLength: 1, maxLength: 2 }) }),
)

const dateTime = fc
  .tuple(fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(9999, 0) }), fc.constantFrom("Z", "z", "+05:30", "-23:59"))
  .map(([at, zone]) => new Date(at).toISOString().replace("Z", zone))

function text(schema: TSchema): fc.Arbitrary<string> {
  const min: number = schema.minLength ?? 0
  const max: number = schema.maxLength ?? 1_000
  if (schema.pattern === undefined) return fc.string({ minLength: min, maxLength: Math.min(max, min + 20) })
  // An unbounded repetition is drawn short, with its minimum in the pattern. Otherwise the filter would never finish.
  const pattern = schema.pattern.replace(/[+*]\$$/, `{${min},${Math.min(max, min + 20)}}$`)
  return fc.stringMatching(new RegExp(short(min > 1 ? pattern : schema.pattern))).filter((drawn) => {
    return drawn.length >= min && drawn.length <= max
  })
}

/** A repetition of up to thousands is drawn with at most twenty more than it needs. */
function short(pattern: string): string {
  return pattern.replace(/\{(\d+),(\d+)\}/g, (_, least: string, most: string) => {
    return `{${least},${Math.min(Number(most), Number(least) + 20)}}`
  })
}

/** The strict reader rejects the name `__proto__` in every body, so no value that a schema sees has it. */
function memberName(name: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return name.filter((drawn) => drawn !== "__proto__")
}
