/**
 * Reads. Each runs on one consistent view: a transaction that only reads. Reads that are requested together share a view and travel side by side
 * on one connection.
 */
import { WAITING_READS_MAX } from "../limits.ts"
import { holdsNoOrder, takesNoLease } from "../read-unit.ts"
import type { Unit } from "../unit.ts"
import type { Connection, PostgresMachine } from "./connection.ts"
import { type Connections, type Retried, takeOut } from "./connections.ts"
import { driveLater } from "./drive-later.ts"
import { type Caller, OpenWork } from "./open-work.ts"
import { Pipeline } from "./pipeline.ts"
import { faultOf, PostgresFault } from "./postgres-fault.ts"
import { readRows, VIEW } from "./read-rows.ts"
import { rejectionOf } from "./rejection.ts"
import { SNAPSHOT, type SnapshotVersion } from "./snapshot-version.ts"

/** Reads of one view. With more of them, reads would wait for the rows of others. */
const TOGETHER_MAX = 64
/** Views side by side. While all of them are at work, reads wait and share the next one. */
const VIEWS_MAX = 4
const PAUSE_MS = 20

type Reading =
  | { readonly unit: () => Unit<unknown>; readonly versioned?: undefined }
  /** Receives the version of its view, so it begins one answer later. */
  | { readonly versioned: (version: number) => Unit<unknown> }

interface WaitingRead extends Caller, Retried {
  readonly reading: Reading
}

export class Views {
  private readonly waiting: WaitingRead[] = []
  private isArmed = false
  private running = 0
  private readonly open = new OpenWork(WAITING_READS_MAX)

  constructor(
    private readonly connections: Connections,
    private readonly version: SnapshotVersion,
    private readonly machine: PostgresMachine,
    private readonly patienceMs: number,
  ) {}

  get isIdle(): boolean {
    return this.open.count === 0
  }

  read<T>(unit: () => Unit<T>): Promise<T> {
    return this.add({ unit })
  }

  readVersioned<T>(unit: (version: number) => Unit<T>): Promise<T> {
    return this.add({ versioned: unit })
  }

  private add<T>(reading: Reading): Promise<T> {
    return this.open.add((caller) => this.put({ ...caller, reading, awaySince: null }))
  }

  private put(read: WaitingRead): void {
    this.waiting.push(read)
    this.arm()
  }

  /** The view begins after all requests of this turn. */
  private arm(): void {
    if (this.isArmed || this.running >= VIEWS_MAX) return
    this.isArmed = true
    this.machine.soon(() => {
      this.isArmed = false
      while (this.running < VIEWS_MAX && this.waiting.length > 0) void this.runNext()
    })
  }

  private async runNext(): Promise<void> {
    this.running++
    const taken = this.waiting.splice(0, TOGETHER_MAX)
    try {
      const connection = await this.connections.take()
      try {
        await this.readAll(connection, taken)
      } finally {
        this.connections.give(connection)
      }
    } catch (error) {
      const fault = faultOf(error)
      const runsAgain = fault.kind === "LOST" || fault.kind === "BUSY"
      for (const read of taken) this.away(read, fault, runsAgain)
      if (fault.kind === "LOST") this.rejectOverdue(fault)
    } finally {
      this.running--
      if (this.waiting.length > 0) this.arm()
    }
  }

  private async readAll(connection: Connection, taken: readonly WaitingRead[]): Promise<void> {
    const pipeline = new Pipeline(connection)
    pipeline.tell(VIEW)
    const version = pipeline.ask(SNAPSHOT).then((answer) => this.version.of(answer))
    // Each read awaits it as well, unless it fails first: then nobody does, and the failure must not end the process.
    version.catch(() => {})
    try {
      await Promise.all(taken.map((read) => this.readOne(connection, read, version)))
    } finally {
      // Not awaited: the statements of the next user of this connection travel behind it.
      void connection.rollBack()
    }
  }

  /** Its rows count only once `version` is there: before that nobody knows whether the view has begun. */
  private async readOne(connection: Connection, read: WaitingRead, version: Promise<number>): Promise<void> {
    const pipeline = new Pipeline(connection)
    pipeline.follow(version)
    const { reading } = read
    try {
      const unit = reading.versioned ? reading.versioned(await version) : reading.unit()
      const value = await driveLater(unit, {
        rows: (statement) => readRows(pipeline, statement),
        holds: holdsNoOrder,
        isClockRight: takesNoLease,
      })
      await pipeline.check()
      read.resolve(value)
    } catch (error) {
      if (!(error instanceof PostgresFault)) read.reject(error)
      // Another read of this view failed.
      else if (error.kind === "AFTER_ANOTHER") this.put(read)
      else this.away(read, error)
    }
  }

  /** Each try to connect may take seconds, so the reads that wait are not tried one after the other. */
  private rejectOverdue(fault: PostgresFault): void {
    const isOverdue = (read: WaitingRead) => this.connections.isOverdue(read, this.patienceMs)
    for (const read of takeOut(this.waiting, isOverdue)) read.reject(rejectionOf(fault))
  }

  /** A read that lost its connection, or got none, runs again for a while. One that was too slow does not: that would add to the load. */
  private away(read: WaitingRead, fault: PostgresFault, runsAgain = fault.kind === "LOST"): void {
    if (runsAgain && this.connections.mayRetry(read, this.patienceMs)) {
      this.machine.after(PAUSE_MS, () => this.put(read))
    } else read.reject(rejectionOf(fault))
  }
}
