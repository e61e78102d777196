/** Statements of a unit that only reads, on one connection. */
import { requireRead } from "../read-unit.ts"
import type { Statement } from "../unit.ts"
import type { Pipeline } from "./pipeline.ts"
import { postgresStatement } from "./postgres-statements.ts"

/** Begins a view. */
export const VIEW = "begin isolation level repeatable read read only"

export async function readRows(pipeline: Pipeline, { query, values }: Statement): Promise<unknown[]> {
  const statement = postgresStatement(query)
  requireRead(statement)
  return statement.rows(await pipeline.ask(statement.text, statement.parameters(values)))
}
