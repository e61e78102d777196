/** Fills what a draft lacks from an example, member by member. Pure. */
import { isObject, type JsonValue } from "../../core/strict-json.ts"

export type Members = Readonly<Record<string, JsonValue>>

/** The part of a JSON Schema that is read here. */
export interface ObjectSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, ObjectSchema>>
  readonly required?: readonly string[]
}

interface Filled {
  readonly value: Members
  /** JSON pointers of the members that the example supplied. */
  readonly pointers: readonly string[]
}

/** Filled as a whole or not at all: parts of two destinations would be a third one. */
const WHOLE: ReadonlySet<string> = new Set(["/payee", "/payment_destination", "/supplier/identifiers", "/company"])

/**
 * Adds each required member that `draft` lacks. A member that is there stays as it is, right or wrong; an object is filled in the same way,
 * except at the pointers in `WHOLE`. Optional members and unknown ones are never added or removed.
 */
export function fillRequired(schema: ObjectSchema, draft: Members, example: Members, at = ""): Filled {
  const value: Record<string, JsonValue> = { ...draft }
  const pointers: string[] = []
  for (const name of schema.required ?? []) {
    const pointer = `${at}/${name}`
    const [given, made] = [draft[name], example[name]]
    if (given === undefined) {
      if (made === undefined) continue
      value[name] = made
      pointers.push(pointer)
      continue
    }
    const inner = schema.properties?.[name]
    if (!inner?.properties || WHOLE.has(pointer) || !isObject(given) || !isObject(made)) continue
    const filled = fillRequired(inner, given, made, pointer)
    value[name] = filled.value
    pointers.push(...filled.pointers)
  }
  return { value, pointers }
}
