import { migrations } from "../../../../db/migrations.ts"
import type { CreatedDatabase } from "../engine.ts"
import { DatabaseRefused } from "../store-error.ts"
import { openPostgres } from "./open-postgres.ts"
import type { PostgresEngine } from "./postgres-engine.ts"

/** Gives an empty database the whole schema. Rejects with {@link DatabaseRefused} for one that has tables. */
export async function createPostgres(url: string, createdAt: string): Promise<CreatedDatabase> {
  const engine = await openPostgres(url)
  await requireEmpty(engine)
  const applied = await engine.migrate(createdAt)
  // Another init filled the database first, and its keys belong to that one.
  if (applied.length === 0) throw notEmpty(engine, "another init makes it now")
  const { store, names } = engine
  return { store, names, schema: migrations.at(-1)?.ordinal ?? 0 }
}

async function requireEmpty(engine: PostgresEngine): Promise<void> {
  const contents = await engine.contents()
  if (contents === "EMPTY") return
  if (contents === "FOREIGN") throw notEmpty(engine, "it has tables of another program")
  const environment = await engine.metaBefore("environment")
  throw environment === null
    ? notEmpty(engine, "an init on it did not finish, and nothing was signed: drop the database and create it again")
    : notEmpty(engine, `it belongs to another data directory, made for ${environment}; its keys are there`)
}

function notEmpty({ names }: PostgresEngine, why: string): DatabaseRefused {
  return new DatabaseRefused(`${names.name} is not empty: ${why}. Nothing was changed; name an empty database`)
}
