import type { TSchema } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"

/** Several routes, and all routes of several services in one process, share a schema. */
const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/** A large schema compiles in milliseconds; all of them together were a fifth of the program's start. */
export function compiledAtFirstUse<T extends TSchema>(schema: T): () => TypeCheck<T> {
  let check: TypeCheck<T> | undefined
  return () => {
    check ??= (compiled.get(schema) as TypeCheck<T> | undefined) ?? compile(schema)
    return check
  }
}

function compile<T extends TSchema>(schema: T): TypeCheck<T> {
  const check = TypeCompiler.Compile(schema)
  compiled.set(schema, check as TypeCheck<TSchema>)
  return check
}
