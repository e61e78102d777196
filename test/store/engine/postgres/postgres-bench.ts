/** Stores over one schema of a real server, and a way to look at what they committed. */
import { SQL } from "bun"
import { PostgresStore } from "../../../../src/store/engine/postgres/postgres-store.ts"
import { readTarget } from "../../../../src/store/engine/postgres/target-text.ts"
import { postgresUrl } from "../../../fixtures/postgres.ts"

export type StoreParts = ConstructorParameters<typeof PostgresStore>[1]

export interface PostgresBench {
  readonly store: PostgresStore
  /** A connection of its own, which sees only committed rows. */
  readonly admin: SQL
  readonly schema: string
  readonly url: string
  /** A further store, as another process has. It is closed at the end. */
  further(parts?: StoreParts, url?: string): PostgresStore
  committed(scope?: string): Promise<string[]>
}

const TABLES = `
create table used_nonce (scope text collate "C" not null, nonce text collate "C" not null, expires_at text collate "C" not null, primary key (scope, nonce));
create table log_order (id bigint);
create table unit_outcome (id text collate "C" primary key, committed bigint not null, at text collate "C" not null);
`

/** `url`: of a server of its own. */
export function postgresBench(
  use: (bench: PostgresBench) => Promise<void>,
  parts: StoreParts = {},
  url?: () => Promise<string>,
): () => Promise<void> {
  return async () => {
    const at = await (url ?? postgresUrl)()
    const schema = `t${process.pid}_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`
    const admin = new SQL(at, { max: 1, connection: { search_path: schema } })
    await admin.unsafe(`create schema ${schema}; ${TABLES}`).simple()
    const stores: PostgresStore[] = []
    const further = (more: StoreParts = {}, other = at) => {
      const store = new PostgresStore(readTarget(other, schema), { ...parts, ...more })
      stores.push(store)
      return store
    }
    const committed = async (scope = "s") =>
      (await admin`select nonce from used_nonce where scope = ${scope} order by nonce`).map(
        ({ nonce }: { nonce: string }) => nonce,
      )
    try {
      await use({ store: further(), admin, schema, url: at, further, committed })
    } finally {
      await Promise.all(stores.map((store) => store.close()))
      await admin.unsafe(`drop schema ${schema} cascade`)
      await admin.close()
    }
  }
}
