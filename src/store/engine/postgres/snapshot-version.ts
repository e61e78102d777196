/** Versions of the database, as numbers that are equal only if a view shows the same rows. */
import type { Answer } from "./driver.ts"
import { PostgresFault } from "./postgres-fault.ts"

/** The first statement of a transaction of a view. */
export const SNAPSHOT = "select pg_current_snapshot()::text, pg_postmaster_start_time()::text, pg_is_in_recovery()"

export class SnapshotVersion {
  private text = ""
  private number = 0

  /** `epoch`: grows with every new connection. After a crash the server gives out the same transaction numbers again. */
  constructor(private readonly epoch: () => number) {}

  /** The version of the view that gave this answer. Throws a fault if a standby gave it: its state is older. */
  of([row = []]: Answer): number {
    const [snapshot, started, isStandby] = row
    if (isStandby !== false) throw new PostgresFault("STANDBY", "the server is a standby")
    const text = `${snapshot} ${started} ${this.epoch()}`
    if (text !== this.text) {
      this.text = text
      this.number++
    }
    return this.number
  }
}
