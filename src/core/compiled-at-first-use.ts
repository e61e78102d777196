import { Kind, type TArray, type TSchema, TypeRegistry } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { atFirstUse } from "./at-first-use.ts"

/** Cached by schema, because several routes, and the routes of several services in one process, share a schema. */
const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/** Compiles on first use: a large schema takes milliseconds, and compiling all of them took a fifth of the start time. */
export function compiledAtFirstUse<T extends TSchema>(schema: T): () => TypeCheck<T> {
  return atFirstUse(() => (compiled.get(schema) as TypeCheck<T> | undefined) ?? compile(schema))
}

function compile<T extends TSchema>(schema: T): TypeCheck<T> {
  const check = TypeCompiler.Compile(withUniqueArrays(schema)) as TypeCheck<T>
  compiled.set(schema, check as TypeCheck<TSchema>)
  return check
}

/**
 * TypeBox hashes each element of an array with `uniqueItems` by big integers. For one list of three words that takes longer than all other
 * checks of a signed message. The schema keeps its published form.
 */
const UNIQUE_ARRAY = "UniqueArray"

TypeRegistry.Set<TArray>(UNIQUE_ARRAY, (schema, value) => {
  if (!Array.isArray(value)) return false
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  if (value.length < minItems || value.length > maxItems) return false
  const item = compiled.get(schema.items) ?? compile(schema.items)
  return value.every((element) => item.Check(element)) && areUnique(value)
})

function areUnique(value: readonly unknown[]): boolean {
  if (value.length < 2) return true
  const texts = value.map((element) => (typeof element === "string" ? element : JSON.stringify(element)))
  return new Set(texts).size === texts.length
}

/** Returns the schema, with another kind for arrays with `uniqueItems`. Parts without such an array are not copied. */
function withUniqueArrays<T>(schema: T): T {
  if (typeof schema !== "object" || schema === null) return schema
  const changed: Record<PropertyKey, unknown> = {}
  for (const name of Reflect.ownKeys(schema)) {
    const member: unknown = Reflect.get(schema, name)
    const made = Array.isArray(member) ? uniqueInList(member) : withUniqueArrays(member)
    if (made !== member) changed[name] = made
  }
  const { type, uniqueItems } = schema as { readonly type?: unknown; readonly uniqueItems?: unknown }
  if (type === "array" && uniqueItems === true) changed[Kind] = UNIQUE_ARRAY
  return Reflect.ownKeys(changed).length === 0 ? schema : { ...schema, ...changed }
}

function uniqueInList(list: readonly unknown[]): readonly unknown[] {
  const made = list.map(withUniqueArrays)
  return made.some((one, at) => one !== list[at]) ? made : list
}
