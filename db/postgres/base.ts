/**
 * What a new PostgreSQL database begins with. The text is frozen: a database stores its hash, and migrations after the one that it covers
 * run on it. `scripts/postgres-base.ts` makes both files.
 */
import frozen from "./base.json" with { type: "json" }
import sql from "./base.sql" with { type: "text" }

export interface PostgresBase {
  /** Of the newest migration that it covers. */
  readonly ordinal: number
  readonly name: string
  readonly sha256: string
  readonly sql: string
}

export const postgresBase: PostgresBase = { ...frozen, sql }
