/** The whole tables of a database, wherever it is. Loads the code of PostgreSQL when a server keeps the database. */
import { SchemaMismatch } from "../../../db/applied-migrations.ts"
import type { DatabasePlace } from "./open-engine.ts"

import {
  fillSqliteTables,
  type InUse,
  lockSqliteTables,
  putSqliteInUse,
  readSqliteTables,
  sqliteMeta,
} from "./sqlite/sqlite-tables.ts"
import { DatabaseRefused } from "./store-error.ts"
import type { LockedTables, TablesView, TablesWriter } from "./tables.ts"

const onServer = () => import("./postgres/postgres-tables.ts")

/** Runs `use` on one view, while a service may write. Rejects with {@link DatabaseRefused}. */
export async function readTables<T>(place: DatabasePlace, use: (view: TablesView) => Promise<T>): Promise<T> {
  return explained(
    place.kind === "FILE" ? readSqliteTables(place.path, use) : (await onServer()).readPostgresTables(place.url(), use),
  )
}

/** Runs `use` while nobody else writes the database or begins to serve from it. Rejects with {@link DatabaseRefused} if a process does. */
export async function lockTables<T>(place: DatabasePlace, use: (tables: LockedTables) => Promise<T>): Promise<T> {
  return explained(
    place.kind === "FILE" ? lockSqliteTables(place.path, use) : (await onServer()).lockPostgresTables(place.url(), use),
  )
}

/** Makes a new file, or the tables of an empty database of a server. `createdAt` is an RFC 3339 instant. What `fill` throws leaves it without rows. */
export async function fillTables(
  place: DatabasePlace,
  createdAt: string,
  fill: (tables: TablesWriter) => Promise<void>,
): Promise<void> {
  if (place.kind === "FILE") return fillSqliteTables(place.path, createdAt, fill)
  return (await onServer()).fillPostgresTables(place.url(), createdAt, fill)
}

/** Returns the name of a server's database. Rejects with {@link DatabaseRefused} unless it can be used and is empty. */
export async function requireEmptyServer(url: string): Promise<string> {
  return (await onServer()).requireEmptyPostgres(url)
}

/** A value of `meta`, whatever the schema. Null also without that table, and for a file without any. Changes nothing. */
export async function metaOf(place: DatabasePlace, name: string): Promise<string | null> {
  return place.kind === "FILE" ? sqliteMeta(place.path, name) : (await onServer()).postgresMeta(place.url(), name)
}

/** Changes `meta` of a filled database, so that it can be served from. A file also gets the name `path`. */
export async function putInUse(place: DatabasePlace, path: string, change: InUse): Promise<void> {
  if (place.kind === "FILE") putSqliteInUse(place.path, path, change)
  else await (await onServer()).putPostgresInUse(place.url(), change)
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error
    throw new DatabaseRefused(`${error.message}; use the release that made it, or a newer one`)
  }
}
