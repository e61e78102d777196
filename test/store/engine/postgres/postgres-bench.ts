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
      try {
        await use({ store: further(), admin, url, further, proxy, committed })
      } finally {
        await Promise.all(stores.map((store) => store.close()))
        for (const made of proxies) made.close()
        await admin.close({ timeout: 0 })
      }
    })
}
