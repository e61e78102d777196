import type { Scheduler } from "../scheduler.ts"
import type { Conditions } from "./conditions.ts"
import type { EngineName, SimulatedDatabase } from "./simulated-database.ts"
import { SimulatedPostgres } from "./simulated-postgres.ts"
import { SimulatedSqlite } from "./simulated-sqlite.ts"

interface Around {
  readonly scheduler: Scheduler
  readonly conditions: Conditions
  /** Milliseconds. */
  readonly start: number
}

/** `path`: of a file that does not exist. */
export function openSimulatedDatabase(
  { engine, path }: { readonly engine: EngineName; readonly path: string },
  { scheduler, conditions, start }: Around,
): SimulatedDatabase {
  return engine === "sqlite"
    ? new SimulatedSqlite(path, conditions, start)
    : new SimulatedPostgres(scheduler, conditions)
}
