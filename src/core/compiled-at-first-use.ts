import type { TSchema } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { atFirstUse } from "./at-first-use.ts"

/** Cached by schema, because several routes, and the routes of several services in one process, share a schema. */
const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/** Compiles on first use: a large schema takes milliseconds, and compiling all of them took a fifth of the start time. */
export function compiledAtFirstUse<T extends TSchema>(schema: T): () => TypeCheck<T> {
  return atFirstUse(() => (compiled.get(schema) as TypeCheck<T> | undefined) ?? compile(schema))
}

function compile<T extends TSchema>(schema: T): TypeCheck<T> {
  const check = TypeCompiler.Compile(schema)
  compiled.set(schema, check as TypeCheck<TSchema>)
  return check
}
