/**
 * Shared reads: all reads requested in one turn of the event loop use one view, which begins after the last request. To begin a view costs
 * twice as much as a look-up by key, and one turn may bring a hundred requests.
 */
import type { Timers } from "../../../base/machine.ts"
import { WAITING_READS_MAX } from "../limits.ts"
import { StoreUnavailable } from "../store-error.ts"
import type { Unit } from "../unit.ts"
import type { Settle } from "./log-sync.ts"

/** After this long a view accepts no further read; the rest run in the next turn. In milliseconds. */
export const VIEW_MS_MAX = 12

/** A read receives the version of its view: see {@link Store.version}. */
type VersionedUnit<T> = (version: number) => Unit<T>

interface Waiting {
  readonly unit: VersionedUnit<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** One consistent view of the database. Each method throws what {@link Store.read} rejects with. */
export interface View {
  begin(): void
  /** Of the view that has begun. */
  version(): number
  run<T>(unit: Unit<T>): T
  /** Also called after a failure, and when no view has begun. */
  end(): void
  /** Calls all of them once what views have shown is on the disk. */
  whenDurable(settles: readonly Settle[]): void
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

  /** Returns how many reads finished, counted from the first. A view that cannot begin fails them all. */
  private readOn(taken: readonly Waiting[]): number {
    const read: Settle[] = []
    try {
      this.view.begin()
      return this.readEach(taken, read)
    } catch (error) {
      for (const { reject } of taken) reject(error)
      return taken.length
    } finally {
      this.view.end()
      this.view.whenDurable(read)
    }
  }

  /** An error that one read throws fails only that read. */
  private readEach(taken: readonly Waiting[], read: Settle[]): number {
    const version = this.view.version()
    const started = this.timers.monotonic()
    for (const [at, { unit, resolve, reject }] of taken.entries()) {
      try {
        const value = this.view.run(unit(version))
        read.push((failure) => (failure === null ? resolve(value) : reject(failure)))
      } catch (error) {
        reject(error)
        // The failure may have ended the view, and a later view has another version.
        return at + 1
      }
      if (this.timers.monotonic() - started > VIEW_MS_MAX) return at + 1
    }
    return taken.length
  }
}
