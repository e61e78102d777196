/** Stores over one database of a real server, and a way to look at what they committed. */
import { SQL } from "bun"
import { PostgresStore } from "../../../../src/store/engine/postgres/postgres-store.ts"
import { readTarget } from "../../../../src/store/engine/postgres/target-text.ts"
import { onPostgres } from "../../../fixtures/postgres-schema.ts"
import { type DatabaseProxy, databaseProxy } from "./database-proxy.ts"

type StoreParts = ConstructorParameters<typeof PostgresStore>[1]

export interface PostgresBench {
  readonly store: PostgresStore
  /** A connection of its own, which sees only committed rows. */
  readonly admin: SQL
  readonly url: string
  /** A further store, as another process has. It is closed at the end. */
  further(parts?: StoreParts, url?: string): PostgresStore
  /** A way to the server that is closed at the end. */
  proxy(): Promise<DatabaseProxy>
  committed(scope?: string): Promise<string[]>
  /** Number of connections that stores have to the server. */
  sessions(which: Sessions): Promise<number>
  /** The server ends these connections. Returns how many it ended. */
  endSessions(which: Sessions): Promise<number>
}

/** All, or those in a transaction. */
type Sessions = "ALL" | "BUSY"

const SESSIONS: Readonly<Record<Sessions, string>> = {
  ALL: "from pg_stat_activity where application_name = 'bizauth' and datname = current_database()",
  BUSY: "from pg_stat_activity where application_name = 'bizauth' and datname = current_database() and xact_start is not null",
}

export function postgresBench(use: (bench: PostgresBench) => Promise<void>, parts: StoreParts = {}) {
  return () =>
    onPostgres(async ({ url }) => {
      const admin = new SQL(url, { max: 1 })
      const stores: PostgresStore[] = []
      const proxies: DatabaseProxy[] = []
      const further = (more: StoreParts = {}, other = url) => {
        const store = new PostgresStore(readTarget(other), { ...parts, ...more })
        stores.push(store)
        return store
      }
      const proxy = async () => {
        const made = await databaseProxy(url)
        proxies.push(made)
        return made
      }
      const committed = async (scope = "s") =>
        (await admin`select nonce from used_nonce where scope = ${scope} order by nonce`).map(
          ({ nonce }: { nonce: string }) => nonce,
        )
      const counted = async (text: string) => (await admin.unsafe(text)).length
      const sessions = (which: Sessions) => counted(`select 1 ${SESSIONS[which]}`)
      const endSessions = (which: Sessions) => counted(`select pg_terminate_backend(pid) ${SESSIONS[which]}`)
      try {
        await use({ store: further(), admin, url, further, proxy, committed, sessions, endSessions })
      } finally {
        await Promise.all(stores.map((store) => store.close()))
        for (const made of proxies) made.close()
        await admin.close({ timeout: 0 })
      }
    })
}
