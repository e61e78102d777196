import type { TSchema } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"

/** A large schema compiles in milliseconds; all of them together were a fifth of the program's start. */
export function compiledAtFirstUse<T extends TSchema>(schema: T): () => TypeCheck<T> {
  let compiled: TypeCheck<T> | undefined
  return () => {
    compiled ??= TypeCompiler.Compile(schema)
    return compiled
  }
}
