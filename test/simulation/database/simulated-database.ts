/** The database of a simulated world: its processes share it, and the inspectors read it. Each engine has one. */
import type { Log } from "../../../src/base/log.ts"
import type { Worker } from "../../../src/base/worker.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import type { Beside } from "../../fixtures/test-database.ts"
import type { Incarnation } from "../incarnation.ts"
import type { Random } from "../random.ts"
import type { Scheduler } from "../scheduler.ts"
import type { Change } from "./changes.ts"

export type EngineName = "sqlite" | "postgres"

export type Value = string | number | null

/** One life of a process as its user. */
export interface DatabaseUser {
  readonly life: Incarnation
  readonly random: Random
  /** The process dies at once. */
  kill(why: string): void
  /** A fault may delay the process for so long, in virtual ms. */
  delayed(ms: number): void
}

/** Ends with its process: {@link Incarnation.onDeath}. */
export interface UsedDatabase {
  readonly store: Store
  /** Of this engine alone. */
  workers(log: Log): readonly Worker[]
}

export interface SimulatedDatabase {
  /** Runs `enter` with a store without faults, on its own scheduler, to the end. Before {@link watch}. */
  enter(
    setup: { readonly life: Incarnation; readonly scheduler: Scheduler },
    enter: (to: Entered) => Promise<void>,
  ): void
  /** From now on {@link changes} has all changes. */
  watch(): void
  open(user: DatabaseUser): UsedDatabase
  /** The changes committed since the last call, in the order of their statements. */
  changes(): Change[]
  /** Committed rows. `?1` binds the first value; a column with capitals needs `AS "requestId"`. */
  rows<Row>(sql: string, ...values: Value[]): Row[]
  /** After all processes died. */
  close(): void
}

export interface Entered {
  readonly store: Store
  readonly beside: Pick<Beside, "write">
}
