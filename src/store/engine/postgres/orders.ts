/** A transaction takes an order before its first statement: it locks a table that has no rows. */
import type { Order } from "../order.ts"
import { takeOut } from "./connections.ts"
import type { Job } from "./job.ts"

interface Taking {
  /** LOCK TABLE takes no snapshot, so the transaction sees all that earlier holders of the order have committed. */
  readonly lock: string
  /** Null: that of units without an order. */
  readonly isolation: "read committed" | null
}

const LOG_LOCK = "lock table log_order in exclusive mode"

export const ORDERS: Readonly<Record<Order, Taking>> = {
  // Such a unit also reads and writes what other units read and write.
  log: { lock: LOG_LOCK, isolation: null },
  // No unit without an order removes or changes rows that wait, or changes rows that such a unit writes. SERIALIZABLE would end such a unit, or a
  // unit that delivers, because both use the last page of an index.
  sequencing: { lock: LOG_LOCK, isolation: "read committed" },
}

/** Units that share one transaction, and its wait for the lock and for the disk. */
const ORDERED_MAX = 64
const ORDERED_FIRST = 16

/** The units of one process that wait for an order. One transaction at a time takes it. */
export class Lane {
  private waiting: Job[] = []
  private isTaken = false
  /** Fewer after a conflict, which repeats all of them. */
  private most = ORDERED_FIRST

  constructor(readonly order: Order) {}

  add(job: Job): void {
    this.waiting.push(job)
  }

  /** The units of the next transaction; null while one runs or no unit waits. */
  next(): readonly Job[] | null {
    if (this.isTaken || this.waiting.length === 0) return null
    this.isTaken = true
    return this.waiting.splice(0, Math.floor(this.most))
  }

  takeOut(isOut: (job: Job) => boolean): Job[] {
    return takeOut(this.waiting, isOut)
  }

  done(): void {
    this.isTaken = false
  }

  conflicted(): void {
    this.most = Math.max(1, this.most / 2)
  }

  succeeded(): void {
    this.most = Math.min(ORDERED_MAX, this.most + 1)
  }
}
