/** A unit in a transaction of its own on a connection outside the store. */
import type { ReservedSQL } from "bun"
import type { Unit } from "../unit.ts"
import { driveLater } from "./drive-later.ts"
import { postgresStatement } from "./postgres-statements.ts"
import { NEWEST_APPLIED, NEWEST_KNOWN, requireShare, SHARE_SCHEMA } from "./schema-share.ts"
import { settingsOf } from "./session-settings.ts"

/**
 * The server ends what takes long. It does not wait for a standby, so the rows are there when this server alone lives, and other processes see them
 * at once.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: "2500",
  lock_timeout: "2000",
  idle_in_transaction_session_timeout: "2000",
  synchronous_commit: "local",
}

/**
 * The connection must end afterwards: it keeps settings and its share of the schema, and after a failure a transaction. Rejects with PostgresFault while
 * another process migrates the database, and after a newer release did.
 */
export async function runOutside<T>(connection: ReservedSQL, unit: Unit<T>): Promise<T> {
  await connection.unsafe(settingsOf(SETTINGS)).simple()
  // Before the transaction, which sees the database as it is at its first statement.
  const [{ shared }] = await connection.unsafe(`SELECT ${SHARE_SCHEMA} AS shared`)
  const [{ newest }] = await connection.unsafe(`SELECT ${NEWEST_APPLIED} AS newest`)
  requireShare({ isShared: shared, newestApplied: newest, newestKnown: NEWEST_KNOWN })
  await connection.unsafe("BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE")
  const value = await driveLater(unit, {
    rows: async ({ query, values }) => {
      const statement = postgresStatement(query)
      return statement.rows(await connection.unsafe(statement.text, statement.parameters(values)).values())
    },
    holds: () => false,
    isClockRight: () => false,
  })
  await connection.unsafe("COMMIT")
  return value
}
