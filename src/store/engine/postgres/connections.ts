/** The connections of one store, and the queue of callers that wait for one. */
import { Connection, type ConnectionParts } from "./connection.ts"
import type { LogWitness } from "./log-witness.ts"
import { faultOf, type PostgresFault } from "./postgres-fault.ts"
import type { Host, PostgresTarget } from "./postgres-target.ts"

/** Work that may find the database away. */
export interface Retried {
  /** Since when the database does not take it, by the monotonic clock. */
  awaySince: number | null
}

/** Removes the work for which `isOut` is true from the list, and returns it. */
export function takeOut<T>(work: T[], isOut: (one: T) => boolean): T[] {
  const { out = [], kept = [] } = Object.groupBy(work.splice(0), (one) => (isOut(one) ? "out" : "kept"))
  for (const one of kept) work.push(one)
  return out
}

interface Waiter {
  readonly resolve: (connection: Connection) => void
  readonly reject: (fault: PostgresFault) => void
}

export class Connections {
  private readonly free: Connection[] = []
  private readonly waiters: Waiter[] = []
  /** Open or being opened. */
  private open = 0
  /** Index of the host that answered last. */
  private hostAt = 0
  private opened = 0
  /** Monotonic time since when no host accepts a connection; null while one works. */
  private failingSince: number | null = null
  private isClosing = false

  constructor(
    private readonly target: PostgresTarget,
    private readonly parts: ConnectionParts & { readonly most: number; readonly witness: LogWitness },
  ) {}

  /**
   * Grows with every new connection. A server that crashed gives transaction numbers out again, and ends all connections, so this number
   * tells the states before and after apart.
   */
  get epoch(): number {
    return this.opened
  }

  /**
   * Whether work that found the database away may try again: until `patienceMs` after the outage began. Work that comes during an outage counts
   * from the same beginning. Otherwise each caller of a long outage would wait all of its patience.
   */
  mayRetry(work: Retried, patienceMs: number): boolean {
    const now = this.parts.machine.monotonic()
    work.awaySince ??= this.failingSince ?? now
    return now - work.awaySince <= patienceMs
  }

  /** Whether work that waits in a queue has waited for its patience, while no host accepts a connection. */
  isOverdue({ awaySince }: Retried, patienceMs: number): boolean {
    const { failingSince } = this
    if (failingSince === null) return false
    return this.parts.machine.monotonic() - (awaySince ?? failingSince) > patienceMs
  }

  /** Open or being opened. */
  get size(): number {
    return this.open
  }

  /** Rejects with {@link PostgresFault} if no host accepts a connection. The caller gives it back. */
  async take(): Promise<Connection> {
    this.parts.witness.require()
    for (let known = this.free.pop(); known; known = this.free.pop()) {
      if (!known.isClosed) return known
      this.open--
    }
    if (this.open < this.parts.most) return this.openOne()
    return new Promise((resolve, reject) => void this.waiters.push({ resolve, reject }))
  }

  /** A closed one makes room for a new one. */
  give(connection: Connection): void {
    if (this.isClosing) connection.close()
    if (connection.isClosed) {
      this.open--
      this.refill()
      return
    }
    this.failingSince = null
    const next = this.nextWaiter()
    if (next) next.resolve(connection)
    else this.free.push(connection)
  }

  /** Only when no caller waits for a connection. One that is still taken closes when it is given back. */
  close(): void {
    this.isClosing = true
    for (const connection of this.free.splice(0)) connection.close()
  }

  /** None is left to wait once the log was found to lack leaves. */
  private nextWaiter(): Waiter | undefined {
    const { fault } = this.parts.witness
    if (fault) for (const waiter of this.waiters.splice(0)) waiter.reject(fault)
    return this.waiters.shift()
  }

  private refill(): void {
    const next = this.nextWaiter()
    if (next) this.openOne().then(next.resolve, next.reject)
  }

  private async openOne(): Promise<Connection> {
    this.open++
    try {
      const connection = await this.openAtSomeHost()
      this.opened++
      this.failingSince = null
      return connection
    } catch (error) {
      this.failingSince ??= this.parts.machine.monotonic()
      this.open--
      this.refill()
      throw error
    }
  }

  private async openAt(host: Host): Promise<Connection> {
    const connection = await Connection.open(this.target, host, this.parts)
    try {
      await this.parts.witness.judge(connection)
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** Tries each host once, beginning with the one that answered last. Rejects with the fault of the last one. */
  private async openAtSomeHost(): Promise<Connection> {
    const hosts = [...this.target.hosts.entries()]
    let last: PostgresFault | null = null
    for (const [at, host] of [...hosts.slice(this.hostAt), ...hosts.slice(0, this.hostAt)]) {
      try {
        const connection = await this.openAt(host)
        this.hostAt = at
        return connection
      } catch (error) {
        last = faultOf(error)
        // This was the primary: what a standby says does not count.
        if (last.kind === "SCHEMA_NEWER") throw last
      }
    }
    throw last ?? new TypeError("a target has at least one host")
  }
}
