/**
 * Units of callers who have nothing to do with each other do not meet: neither waits for the other, and neither reads what the other writes.
 * PostgreSQL notes what a serializable transaction reads by row, or by page of an index, so two that share a page meet too.
 */
import { describe, expect } from "bun:test"
import { type ReservedSQL, SQL } from "bun"
import { driveLater } from "../../../../src/store/engine/postgres/drive-later.ts"
import { postgresStatement } from "../../../../src/store/engine/postgres/postgres-statements.ts"
import type { Unit } from "../../../../src/store/engine/unit.ts"
import { isNonceSpent, spendNonce } from "../../../../src/store/nonces.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { onPostgres } from "../../../fixtures/postgres-schema.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { AT, LATER } from "../../money-rows.ts"
import { FILL, Stranger, UNITS } from "./stranger-units.ts"

const test = slowTests(import.meta.path)

/** As the connections of the store. */
const SETTINGS = ["plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off"]
/** A unit that waits for a row of the other is refused: the other ends only after it. */
const NO_WAIT = "lock_timeout = '200ms'"

class Session {
  constructor(readonly connection: ReservedSQL) {}

  async run(...statements: string[]): Promise<void> {
    for (const statement of statements) await this.connection.unsafe(statement).simple()
  }

  drive(unit: Unit<unknown>): Promise<unknown> {
    return driveLater(unit, {
      rows: async ({ query, values }) => {
        const statement = postgresStatement(query)
        return statement.rows(await this.connection.unsafe(statement.text, statement.parameters(values)).values())
      },
      holds: () => false,
      isClockRight: () => true,
    })
  }

  /**
   * What the open transaction has read, such as `used_nonce_scope_nonce_key page 7`. The server also keeps what a committed one of the same session
   * read, while any serializable transaction of any of its databases that overlapped with it is open.
   */
  async read(): Promise<string[]> {
    const rows = await this.connection.unsafe(`
      SELECT c.relname || coalesce(' page ' || l.page, '') || coalesce(' row ' || l.tuple, '') AS place
      FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE l.mode = 'SIReadLock' AND l.virtualtransaction =
        (SELECT virtualtransaction FROM pg_locks WHERE locktype = 'virtualxid' AND pid = pg_backend_pid())`)
    return rows.map(({ place }: { place: string }) => place)
  }
}

interface Sessions {
  readonly one: Session
  readonly other: Session
  /** Reads what `one` writes, and so comes before it. */
  readonly earlier: Session
}

function onSessions(use: (sessions: Sessions) => Promise<void>): Promise<void> {
  return onPostgres(({ url }) => withSessions(url, use))
}

async function withSessions(url: string, use: (sessions: Sessions) => Promise<void>): Promise<void> {
  const sql = new SQL(url, { max: 3 })
  try {
    const opened = await Promise.all([1, 2, 3].map(async () => new Session(await sql.reserve())))
    for (const session of opened) await session.run(...SETTINGS.map((setting) => `SET ${setting}`), `SET ${NO_WAIT}`)
    const [one, other, earlier] = opened as [Session, Session, Session]
    await one.run("SET session_replication_role = replica", FILL, "SET session_replication_role = origin")
    await one.run("CREATE TABLE probe (id integer PRIMARY KEY, number integer)", "INSERT INTO probe VALUES (1, 1)")
    await use({ one, other, earlier })
  } finally {
    await sql.close({ timeout: 0 })
  }
}

interface Met {
  /** Why one had to end: it waited, or it read what the other wrote. */
  readonly reason: string | null
  /** What both read. */
  readonly shared: readonly string[]
}

/**
 * Runs both at the same time; `other` commits first. If `one` read what `other` wrote, `one` is between two that it must come after and before,
 * and the server ends it: `earlier` read what `one` has changed.
 */
async function meet({ one, other, earlier }: Sessions, units: readonly [Unit<unknown>, Unit<unknown>]): Promise<Met> {
  const BEGIN = "BEGIN ISOLATION LEVEL SERIALIZABLE"
  const shared: string[] = []
  try {
    await earlier.run(BEGIN, "SELECT * FROM probe WHERE id = 1", "UPDATE probe SET number = 0 WHERE id = 2")
    await one.run(BEGIN, "UPDATE probe SET number = number + 1 WHERE id = 1")
    await other.run(BEGIN)
    await one.drive(units[0])
    await other.drive(units[1])
    const read = new Set(await other.read())
    shared.push(...(await one.read()).filter((place) => read.has(place)))
    await other.run("COMMIT")
    await one.run("COMMIT")
    await earlier.run("ROLLBACK")
    return { reason: null, shared }
  } catch (error) {
    for (const session of [one, other, earlier]) await session.run("ROLLBACK")
    const { errno, where, message } = error as { errno?: string; where?: string; message: string }
    if (errno === "55P03") return { reason: `waits: ${where}`, shared }
    if (errno === "40001") return { reason: "reads what the other writes", shared }
    throw new Error(message, { cause: error })
  }
}

/** Tables that every unit reads and none of these writes, by the index that finds the row. */
const ONLY_READ: Readonly<Record<string, string>> = {
  meta_pkey: "restores, which an operator records",
  sales_switch_pkey: "an operator stops and starts sales",
}

/** Units that meet all the same: what they share, and why it is shared. */
const MEETING: readonly { readonly units: readonly string[]; readonly at: string; readonly reason: string }[] = [
  { units: ["challenge"], at: "shared_use", reason: "a cap of all callers is exact, so it is one row" },
  { units: ["record a nonce"], at: "shared_use", reason: "a cap of all callers is exact, so it is one row" },
]

function isAllowed(names: readonly [string, string], { reason }: Met): boolean {
  return MEETING.some(({ units, at }) => names.every((name) => units.includes(name)) && reason?.includes(`"${at}"`))
}

describe.skipIf(!HAS_POSTGRES)(`PostgreSQL 18${NOT_RUN}`, () => {
  test("strangers do not meet: each unit beside each other", async () => {
    await onSessions(async (all) => {
      const found: string[] = []
      let number = 0
      for (const [name, unit] of Object.entries(UNITS)) {
        for (const [otherName, other] of Object.entries(UNITS)) {
          number++
          const [one, two] = [new Stranger("1", number), new Stranger("e", number)]
          for (const earlier of unit.before ?? []) await all.one.drive(earlier(one))
          for (const earlier of other.before ?? []) await all.one.drive(earlier(two))
          const met = await meet(all, [unit.unit(one), other.unit(two)])
          const shared = met.shared.filter((place) => !(place in ONLY_READ))
          if (met.reason !== null && !isAllowed([name, otherName], met)) shared.push(met.reason)
          if (shared.length > 0) found.push(`${name} beside ${otherName}: ${shared.join(", ")}`)
        }
      }
      expect(found).toEqual([])
    })
  }, 60_000)

  test("two units are found that read what the other writes, share a page or wait: a test of the test above", async () => {
    await onSessions(async (all) => {
      const [one, two] = [new Stranger("1", 1), new Stranger("e", 1)]
      const units = (first: string, second: string, other: Stranger) =>
        meet(all, [UNITS[first]?.unit(one) as Unit<unknown>, UNITS[second]?.unit(other) as Unit<unknown>])
      expect((await units("look for a nonce", "spend a nonce", two)).reason).toBeNull()
      expect((await units("look for a nonce", "spend a nonce", one)).reason).toBe("reads what the other writes")
      await all.one.run("TRUNCATE used_nonce")
      const near = await meet(all, [isNonceSpent("scope1", "n", AT), isNonceSpent("scopee", "n", AT)])
      expect(near.shared.join()).toContain("used_nonce")
      const waiting = await meet(all, [spendNonce("s", "n", LATER, AT), spendNonce("s", "n", LATER, AT)])
      expect(waiting.reason).toStartWith("waits: ")
    })
  }, 60_000)
})
