/** The member that tells the alternatives of a union apart. */
import { isObject } from "../../core/strict-json.ts"
import type { Json, JsonObject } from "../plain-schema.ts"

export interface Discriminator {
  readonly propertyName: string
  readonly variants: readonly { readonly schema: JsonObject; readonly values: Texts }[]
}

type Texts = readonly [string, ...string[]]

/** Returns the first member that every alternative requires with texts of its own, or null. */
export function discriminatorOf(variants: readonly JsonObject[]): Discriminator | null {
  const [first] = variants
  if (!first) return null
  for (const propertyName of Object.keys(membersOf(first))) {
    const found = variants.flatMap((schema) => {
      const values = requiredTexts(schema, propertyName)
      return values ? [{ schema, values }] : []
    })
    const values = found.flatMap((one) => one.values)
    if (found.length === variants.length && new Set(values).size === values.length) {
      return { propertyName, variants: found }
    }
  }
  return null
}

function requiredTexts({ required, ...schema }: JsonObject, name: string): Texts | null {
  const member = membersOf(schema)[name]
  const isRequired = Array.isArray(required) && required.includes(name)
  return isRequired && isObject(member) ? textsIn(member) : null
}

function membersOf({ properties }: JsonObject): { readonly [name: string]: Json } {
  return isObject(properties) ? properties : {}
}

/** Returns the texts of a schema that accepts nothing but a list of texts, or null. */
export function textsIn({ const: value, anyOf }: JsonObject): Texts | null {
  if (typeof value === "string") return [value]
  if (!Array.isArray(anyOf)) return null
  const lists = (anyOf as readonly Json[]).map((one) => (isObject(one) ? textsIn(one) : null))
  const [first, ...more] = lists.flatMap((list) => list ?? [])
  return first === undefined || lists.includes(null) ? null : [first, ...more]
}
