/** What the faults of a database depend on, and what a world learns from it. */
import type { FaultRates } from "../faults.ts"

export interface Conditions {
  /** Virtual ms. */
  readonly time: number
  readonly rates: FaultRates
  /** Until when the disk is full, virtual ms. */
  readonly diskFullUntil: number
  /** Until when a file is locked by another program, or a server is not reached; virtual ms. */
  readonly awayUntil: number
  /** A transaction that writes was committed. */
  committed(): void
  /** A fault or a conflict happened, for the sums of a run. `times`: default 1. */
  count(what: string, times?: number): void
  note(text: string): void
}
