/** The statements of the program, built on first use: their texts are the same for all connections. */
import type { Statement } from "../unit.ts"
import { type PostgresStatement, postgresStatement } from "./stand-in-statements.ts"

const built = new WeakMap<Statement["query"], PostgresStatement>()

export function statementOf(query: Statement["query"]): PostgresStatement {
  let statement = built.get(query)
  if (!statement) {
    statement = postgresStatement(query)
    built.set(query, statement)
  }
  return statement
}
