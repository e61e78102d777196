import type { Scheduler } from "../scheduler.ts"
import type { Conditions } from "./conditions.ts"
import { PostgresWorld } from "./postgres-world.ts"
import { SqliteWorld } from "./sqlite-world.ts"
import type { EngineName, WorldDatabase } from "./world-database.ts"

interface World {
  readonly scheduler: Scheduler
  readonly conditions: Conditions
  /** Milliseconds. */
  readonly start: number
}

/** `path`: of a file that does not exist. */
export function openWorldDatabase(
  { engine, path }: { readonly engine: EngineName; readonly path: string },
  { scheduler, conditions, start }: World,
): WorldDatabase {
  return engine === "sqlite" ? new SqliteWorld(path, conditions, start) : new PostgresWorld(scheduler, conditions)
}
