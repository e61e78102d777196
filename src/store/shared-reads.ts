/**
 * Reads that wait for each other: all that are asked for in one turn of the event loop look at one view, which begins after the last
 * of them was asked for. Beginning a view costs twice as much as a look by key, and a hundred requests may come in one turn.
 */
import type { Timers } from "../machine.ts"
import { StoreUnavailable } from "./store-error.ts"
import type { Unit } from "./unit.ts"

/** Beyond it a new read is answered BUSY at once, as a unit that writes is. */
export const WAITING_READS_MAX = 10_000
/** A view takes no further read after this long; the others have the next turn. */
export const VIEW_MS_MAX = 12

/** What a read is told of its view: see {@link Store.version}. */
type VersionedUnit<T> = (version: number) => Unit<T>

interface Waiting {
  readonly unit: VersionedUnit<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** One consistent view of the database. Each of its methods throws what {@link Store.read} rejects with. */
export interface View {
  begin(): void
  /** Of the view that has begun. */
  version(): number
  run<T>(unit: Unit<T>): T
  /** Also after a failure, and when nothing has begun. */
  end(): void
}

export class SharedReads {
  private waiting: Waiting[] = []

  constructor(
    private readonly view: View,
    private readonly timers: Pick<Timers, "monotonic" | "soon">,
  ) {}

  get isWaiting(): boolean {
    return this.waiting.length > 0
  }

  add<T>(unit: VersionedUnit<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.waiting.length >= WAITING_READS_MAX) return reject(new StoreUnavailable("BUSY"))
      this.waiting.push({ unit, resolve: resolve as (value: unknown) => void, reject })
      if (this.waiting.length === 1) this.timers.soon(() => this.readAll())
    })
  }

  private readAll(): void {
    const taken = this.waiting
    const read = this.readOn(taken)
    this.waiting = taken.slice(read)
    if (this.isWaiting) this.timers.soon(() => this.readAll())
  }

  /** How many were answered, from the first on. A view that cannot begin is everybody's; what one of them throws is its own. */
  private readOn(taken: readonly Waiting[]): number {
    try {
      this.view.begin()
      const version = this.view.version()
      const started = this.timers.monotonic()
      for (const [at, { unit, resolve, reject }] of taken.entries()) {
        try {
          resolve(this.view.run(unit(version)))
        } catch (error) {
          reject(error)
          // The failure may have ended the view, and nobody may look at a later one under this version.
          return at + 1
        }
        if (this.timers.monotonic() - started > VIEW_MS_MAX) return at + 1
      }
    } catch (error) {
      for (const { reject } of taken) reject(error)
    } finally {
      this.view.end()
    }
    return taken.length
  }
}
