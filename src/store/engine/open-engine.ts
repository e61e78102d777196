/** Opens a database where it is. Only this file chooses the engine. It loads the code of PostgreSQL when a server keeps the database. */
import type { CreatedDatabase, Engine, EngineOptions, ReadOnlyDatabase } from "./engine.ts"
import type { PostgresEngine } from "./postgres/postgres-engine.ts"
import { readTarget } from "./postgres/target-text.ts"
import { createSqlite } from "./sqlite/create-sqlite.ts"
import { readSqlite } from "./sqlite/read-sqlite.ts"
import { openSqlite } from "./sqlite/sqlite-engine.ts"
import { DatabaseRefused } from "./store-error.ts"

export type DatabasePlace =
  | { readonly kind: "FILE"; readonly path: string }
  /** A function, so that printing a place shows no secret. */
  | { readonly kind: "SERVER"; readonly url: () => string }

/** Rejects with {@link DatabaseRefused}, or with the errors of SQLite and of the operating system. */
export async function openEngine(place: DatabasePlace, options: EngineOptions): Promise<Engine> {
  return place.kind === "FILE" ? openSqlite(place.path, options) : onServer(place.url(), options)
}

/** The same for a database that is only read. */
export async function readDatabase(place: DatabasePlace): Promise<ReadOnlyDatabase> {
  if (place.kind === "FILE") return readSqlite(place.path)
  const engine = await onServer(place.url())
  const contents = await engine.contents()
  if (contents !== "OWN") {
    const what = contents === "EMPTY" ? "is empty: bizauth init fills it" : "has tables of another program"
    throw new DatabaseRefused(`${engine.names.name} ${what}`)
  }
  return {
    get store() {
      return engine.store
    },
    names: engine.names,
    pendingMigrations: () => engine.pendingMigrations(),
    bytes: () => null,
    close: () => engine.abandon(),
  }
}

/** Gives a new file, or the empty database of a server, the whole schema. `createdAt` is an RFC 3339 instant. Rejects as {@link openEngine}. */
export async function createDatabase(place: DatabasePlace, createdAt: string): Promise<CreatedDatabase> {
  if (place.kind === "FILE") return createSqlite(place.path, createdAt)
  const { createPostgres } = await import("./postgres/create-postgres.ts")
  return createPostgres(place.url(), createdAt)
}

/**
 * Runs `use` with the database of a server while no process serves from it, after it compared the clocks. Rejects with {@link DatabaseRefused} if one
 * serves.
 */
export async function aloneOnServer<T>(
  url: string,
  use: (engine: Engine) => Promise<T>,
  options: Pick<EngineOptions, "clock"> = {},
): Promise<T> {
  const engine = await onServer(url, options)
  try {
    return await engine.alone(async () => {
      await engine.store.measureClock()
      return use(engine)
    })
  } finally {
    engine.abandon()
  }
}

async function onServer(url: string, options: Pick<EngineOptions, "clock"> = {}): Promise<PostgresEngine> {
  const { openPostgres } = await import("./postgres/open-postgres.ts")
  return openPostgres(url, options)
}

/** Why the text of a secret file names no server, without the text; null if it does. */
export function urlFault(text: string): string | null {
  try {
    readTarget(text)
    return null
  } catch (error) {
    if (error instanceof DatabaseRefused) return error.message
    throw error
  }
}
