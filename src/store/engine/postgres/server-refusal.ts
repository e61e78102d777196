/** Why a server cannot hold the database: what its first connection says of it. */
import type { ReservedSQL } from "bun"

interface ServerFacts {
  /** Of `version()`. */
  readonly version: string
  /** Of `server_version_num`, such as 180004. */
  readonly versionNumber: number
  readonly isInRecovery: boolean
  /** Of the database. */
  readonly encoding: string
}

const OLDEST = 15

/** They speak the protocol. On the one `LOCK TABLE` is an error or does nothing, on the other it is new and behind flags. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/cockroach/i, "CockroachDB"],
  [/-YB-|yugabyte/i, "YugabyteDB"],
]

/** Reads {@link ServerFacts}, or the refusal of a server that is no PostgreSQL. */
export async function serverFacts(connection: Pick<ReservedSQL, "unsafe">): Promise<ServerFacts> {
  // In a statement of its own: another server may lack what the second statement reads.
  const [{ version }] = await connection.unsafe("SELECT version() AS version").simple()
  if (otherServer(version)) return { version, versionNumber: 0, isInRecovery: false, encoding: "" }
  const [row] = await connection
    .unsafe(
      `SELECT current_setting('server_version_num') AS number, pg_is_in_recovery()::text AS recovery,
         current_setting('server_encoding') AS encoding`,
    )
    .simple()
  return { version, versionNumber: Number(row.number), isInRecovery: row.recovery === "true", encoding: row.encoding }
}

/** Returns the reason for the operator, or null. */
export function serverRefusal({ version, versionNumber, isInRecovery, encoding }: ServerFacts): string | null {
  const other = otherServer(version)
  if (other) return `the server is ${other}: PostgreSQL ${OLDEST} or newer is needed`
  if (versionNumber < OLDEST * 10_000) return `PostgreSQL ${printed(versionNumber)}: ${OLDEST} or newer is needed`
  if (isInRecovery) return "the server is a standby, which accepts no write: the primary is needed"
  if (encoding !== "UTF8") return `the database has the encoding ${encoding}: UTF8 is needed`
  return null
}

function otherServer(version: string): string | null {
  return OTHERS.find(([sign]) => sign.test(version))?.[1] ?? null
}

/** Two numbers since 10, three before. */
function printed(versionNumber: number): string {
  const [major, middle, minor] = [
    Math.trunc(versionNumber / 10_000),
    Math.trunc(versionNumber / 100) % 100,
    versionNumber % 100,
  ]
  return major >= 10 ? `${major}.${minor}` : `${major}.${middle}.${minor}`
}
