/** A unit that a caller waits for, and what happened to it. */
import type { Order } from "../order.ts"
import type { Unit } from "../unit.ts"
import type { Retried } from "./connections.ts"
import type { Caller } from "./open-work.ts"

export interface Job extends Caller, Retried {
  readonly unit: () => Unit<unknown>
  /** The order that its transaction takes. */
  order: Order | null
  readonly turn: string | null
  /** Transactions that ended with a conflict. */
  conflicts: number
  /** Runs that ended with a unique key that exists. */
  duplicates: number
  /** Set when it failed by itself. What it saw counts only if its transaction can commit, so it runs again in a savepoint. */
  isGuarded: boolean
}
