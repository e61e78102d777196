/**
 * Who uses the schema of a PostgreSQL database now: processes that serve, by their rows and by the lock that each of them shares, and the sessions of
 * all stores, by another lock.
 */
import type { ReservedSQL } from "bun"
import { INSTANCE_ALIVE_MS } from "../instance-alive.ts"

type Connection = Pick<ReservedSQL, "unsafe">

/**
 * Any number that no other lock of the service has. A process that uses the schema shares the lock; one that changes the schema holds it alone.
 * An advisory lock, because before the base there is no table to lock.
 */
export const SCHEMA_LOCK = 7_120_443_019

/**
 * Each session of a store shares this lock as long as it lives, and a migration holds it alone. So no session is there before and after a migration,
 * whatever its process knows: the server ends the lock with the session, and with it a transaction that is open.
 */
export const SESSION_LOCK = 7_120_443_021

/**
 * The processes whose rows are young, each in words; by the clock of the server. A process that was killed is among them until its row is old: nobody
 * can tell it from one that has lost its connection and will be back. None for a schema whose rows do not say who they are.
 */
export async function livingInstances(connection: Connection): Promise<string[]> {
  const named = await connection.unsafe(
    "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('instance') AND attname = 'release' AND NOT attisdropped",
  )
  if (named.length === 0) return []
  const rows: { host: string; pid: string; release: string }[] = await connection.unsafe(`
    SELECT host, pid::text AS pid, release FROM instance
    WHERE seen_at BETWEEN ${atDistance("-")} AND ${atDistance("+")} ORDER BY started_at, instance_id`)
  return rows.map(({ host, pid, release }) => `${host} (process ${pid}, release ${release})`)
}

function atDistance(sign: "-" | "+"): string {
  const instant = `clock_timestamp() ${sign} interval '${INSTANCE_ALIVE_MS} milliseconds'`
  return `to_char((${instant}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/**
 * From where the other connections are that hold {@link SCHEMA_LOCK}, and since when. The server shows that only to its own user, or to one who may read
 * all statistics.
 */
export async function lockHolders(connection: Connection): Promise<string[]> {
  return (await holdersOf(connection, SCHEMA_LOCK)).map(holderText)
}

/** The same of {@link SESSION_LOCK}, with the oldest session of each place. */
export async function sessionHolders(connection: Connection): Promise<string[]> {
  const holders = await holdersOf(connection, SESSION_LOCK)
  return holders.filter(({ place }, at) => holders.findIndex((one) => one.place === place) === at).map(holderText)
}

interface Holder {
  readonly place: string
  /** Null: the server does not show it. */
  readonly since: string | null
}

function holderText({ place, since }: Holder): string {
  return since === null ? place : `${place} since ${since}`
}

/** The oldest first. */
function holdersOf(connection: Connection, lock: number): Promise<Holder[]> {
  return connection.unsafe(`
    SELECT coalesce(host(a.client_addr), 'a connection without a known address') AS place,
      to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
    FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.pid <> pg_backend_pid()
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND ((l.classid::bigint << 32) | l.objid::bigint) = ${lock}
    ORDER BY a.backend_start, l.pid`)
}
