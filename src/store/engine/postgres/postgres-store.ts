/**
 * Units on PostgreSQL, from any number of processes. Each unit that writes is a SERIALIZABLE transaction of its own, so that all of them happen
 * as if one after the other. The server ends some that conflict, and they run again. A caller gets success only after the commit.
 */
import { realMachine } from "../../../base/machine.ts"
import { judgeLog } from "../../log/shorter-log.ts"
import type { ServerCounts } from "../engine.ts"
import { QUEUE_UNITS_MAX } from "../limits.ts"
import type { Order } from "../order.ts"
import { CommitOutcomeUnknown, StoreClosed } from "../store-error.ts"
import type { Store, Turn, Unit } from "../unit.ts"
import { DEADLINE_MS, type PostgresMachine } from "./connection.ts"
import { Connections, takeOut } from "./connections.ts"
import { bunDriver, type Driver } from "./driver.ts"
import type { Job } from "./job.ts"
import { LogWitness } from "./log-witness.ts"
import { MeasuredClock } from "./measured-clock.ts"
import { OpenWork } from "./open-work.ts"
import { Lane } from "./orders.ts"
import { LostOutcomes, newOutcome, type Outcome } from "./outcomes.ts"
import { faultOf, type PostgresFault } from "./postgres-fault.ts"
import type { PostgresTarget } from "./postgres-target.ts"
import { rejectionOf } from "./rejection.ts"
import { NEWEST_KNOWN } from "./schema-share.ts"
import { SnapshotVersion } from "./snapshot-version.ts"
import { Turns } from "./turns.ts"
import { type Ended, type Isolation, UnitTransaction } from "./unit-transaction.ts"
import { Views } from "./views.ts"
import { WIDTH_MAX, Width } from "./width.ts"

/** Conflicts of one unit before its caller gets BUSY. */
const CONFLICTS_MAX = 50
const PAUSE_AFTER_CONFLICT_MS_MAX = 50
/** How long a unit is tried again while the database is away, in milliseconds. */
const PATIENCE_MS = 5_000
/** How long the store asks for a lost outcome. Longer, because its caller can do nothing else. */
const OUTCOME_PATIENCE_MS = 15_000
const PAUSE_WHILE_AWAY_MS = 50
/** For orders, views and questions for an outcome, beside the units that write. */
const FURTHER_CONNECTIONS = 4

interface PostgresStoreParts {
  readonly machine?: PostgresMachine
  /** For tests of what SERIALIZABLE prevents. */
  readonly isolation?: Isolation
  readonly deadlineMs?: number
  readonly patienceMs?: number
  readonly outcomePatienceMs?: number
  readonly driver?: Driver
}

export class PostgresStore implements Store {
  readonly connections: Connections
  readonly clock: MeasuredClock
  readonly witness = new LogWitness()
  private queue: Job[] = []
  private readonly lanes: Readonly<Record<Order, Lane>> = {
    log: new Lane("log"),
    sequencing: new Lane("sequencing"),
  }
  private readonly turns = new Turns()
  private readonly width = new Width()
  private readonly open = new OpenWork(QUEUE_UNITS_MAX)
  private isArmed = false
  private closing: Promise<void> | null = null
  private readonly machine: PostgresMachine
  private readonly isolation: Isolation
  private readonly patienceMs: number
  private readonly views: Views
  private readonly outcomes: LostOutcomes
  private readonly counted = { committed: 0, lostConnections: 0, lostOutcomes: 0 }
  private readonly repeats: Record<string, number> = {}

  constructor(target: PostgresTarget, parts: PostgresStoreParts = {}) {
    this.machine = parts.machine ?? realMachine
    this.isolation = parts.isolation ?? "serializable"
    this.patienceMs = parts.patienceMs ?? PATIENCE_MS
    this.clock = new MeasuredClock(this.machine)
    this.connections = new Connections(target, {
      machine: this.machine,
      clock: this.clock,
      driver: parts.driver ?? bunDriver,
      most: WIDTH_MAX + FURTHER_CONNECTIONS,
      deadlineMs: parts.deadlineMs ?? DEADLINE_MS,
      witness: this.witness,
      newestMigration: NEWEST_KNOWN,
    })
    const version = new SnapshotVersion(() => this.connections.epoch)
    this.views = new Views(this.connections, version, this.machine, this.patienceMs)
    this.outcomes = new LostOutcomes(this.connections, this.machine, parts.outcomePatienceMs ?? OUTCOME_PATIENCE_MS)
  }

  get counts(): ServerCounts {
    const { connections, width, open, counted, repeats } = this
    return { ...counted, repeats, waiting: open.count, connections: connections.size, width: width.most }
  }

  run<T>(unit: () => Unit<T>, hint?: Order | Turn): Promise<T> {
    if (this.closing) return Promise.reject(new StoreClosed())
    const [order, turn] = typeof hint === "object" ? [null, hint.turn] : [hint ?? null, null]
    const fresh = { order, turn, conflicts: 0, duplicates: 0, isGuarded: false, awaySince: null }
    return this.open.add((caller) => this.put({ ...caller, ...fresh, unit }))
  }

  /** The same as {@link run}: the database has no path from which it could be moved. */
  runInPlace<T>(unit: () => Unit<T>, hint?: Order | Turn): Promise<T> {
    return this.run(unit, hint)
  }

  read<T>(unit: () => Unit<T>): Promise<T> {
    return this.closing ? Promise.reject(new StoreClosed()) : this.views.read(unit)
  }

  readTogether<T>(unit: (version: number) => Unit<T>): Promise<T> {
    return this.closing ? Promise.reject(new StoreClosed()) : this.views.readVersioned(unit)
  }

  version(): Promise<number> {
    return this.readTogether(versionItself)
  }

  /** Removes the rows that say whether old transactions were committed. */
  async purgeOutcomes(): Promise<void> {
    while (!this.closing && (await this.outcomes.purge()) > 0);
  }

  /** Compares the clock of this process with the server's now. A new connection does so too. Rejects with PostgresFault. */
  async measureClock(): Promise<void> {
    const connection = await this.connections.take()
    try {
      await connection.measureClock()
    } finally {
      this.connections.give(connection)
    }
  }

  /** Reads the log and compares it with what this process saw. Rejects with StoreUnavailable. */
  async watchLog(): Promise<void> {
    const { seen } = this.witness
    const { shorter, ...log } = await this.read(() => judgeLog(seen))
    this.witness.judged(log, shorter)
  }

  close(): Promise<void> {
    this.closing ??= this.drainAndClose()
    return this.closing
  }

  private async drainAndClose(): Promise<void> {
    while (this.open.count > 0 || !this.views.isIdle) await this.machine.sleep(1)
    this.connections.close()
  }

  private put(job: Job): void {
    if (job.order) this.lanes[job.order].add(job)
    else if (this.turns.take(job)) this.queue.push(job)
    this.arm()
  }

  private arm(): void {
    if (this.isArmed) return
    this.isArmed = true
    this.machine.soon(() => {
      this.isArmed = false
      this.start()
    })
  }

  private start(): void {
    for (const lane of Object.values(this.lanes)) {
      const jobs = lane.next()
      if (jobs) void this.transact(jobs, lane.order).finally(() => this.ended(() => lane.done()))
    }
    while (this.width.mayBegin) {
      const job = this.queue.shift()
      if (!job) return
      this.width.begin()
      void this.transact([job], null).finally(() => this.ended(() => this.passTurn(job)))
    }
  }

  private passTurn(ended: Job): void {
    this.width.end()
    this.beginNext(ended)
  }

  private beginNext(ended: Job): void {
    const next = this.turns.pass(ended)
    if (next) this.queue.push(next)
  }

  private ended(end: () => void): void {
    end()
    this.arm()
  }

  /** Never rejects: each unit is settled, or put back. */
  private async transact(jobs: readonly Job[], order: Order | null): Promise<void> {
    const connection = await this.connections.take().catch((error) => this.unconnected(jobs, faultOf(error)))
    if (!connection) return
    const outcome = newOutcome(this.machine, this.clock)
    const isClockRight = () => this.clock.isRight
    const { isolation } = this
    const { restored } = this.witness
    const transaction = new UnitTransaction(connection, jobs, { order, isolation, outcome, isClockRight, restored })
    const ended = await transaction.run()
    if (connection.isClosed) this.counted.lostConnections++
    this.connections.give(connection)
    if (order) this.adapt(this.lanes[order], ended)
    if (ended.kind === "COMMITTED") this.committed(transaction)
    else if (ended.kind === "ROLLED_BACK") this.rolledBack(jobs, ended.fault)
    else await this.findOut(transaction, jobs, outcome, ended.fault)
  }

  private adapt(lane: Lane, ended: Ended): void {
    if (ended.kind === "COMMITTED") lane.succeeded()
    else if (ended.fault?.kind === "CONFLICT") lane.conflicted()
  }

  private committed({ told, again, watchedLog }: UnitTransaction): void {
    if (watchedLog) this.witness.saw(watchedLog)
    this.width.succeeded()
    this.counted.committed += told.length
    for (const tell of told) tell()
    for (const job of again) this.put(job)
  }

  private rolledBack(jobs: readonly Job[], fault: PostgresFault | null): void {
    if (fault === null) for (const job of jobs) this.put(job)
    else if (fault.kind === "CONFLICT") this.conflicted(jobs, fault)
    else if (fault.kind === "LOST" || fault.kind === "BUSY") this.away(jobs, fault)
    else for (const job of jobs) job.reject(rejectionOf(fault))
  }

  private conflicted(jobs: readonly Job[], fault: PostgresFault): void {
    this.width.conflicted()
    this.repeats[fault.code] = (this.repeats[fault.code] ?? 0) + 1
    for (const job of jobs) {
      job.conflicts++
      if (job.conflicts >= CONFLICTS_MAX) job.reject(rejectionOf(fault))
      else this.machine.after(this.pauseAfter(job.conflicts), () => this.put(job))
    }
  }

  /** At random, so that units that met do not meet again. */
  private pauseAfter(conflicts: number): number {
    const [byte = 0] = this.machine.random(1)
    return (byte / 256) * Math.min(PAUSE_AFTER_CONFLICT_MS_MAX, 2 ** conflicts)
  }

  /** Each try to connect may take seconds, so the work that waits is not tried one after the other once its patience has ended. */
  private unconnected(jobs: readonly Job[], fault: PostgresFault): null {
    if (fault.kind === "LOST") {
      const isOverdue = (job: Job) => this.connections.isOverdue(job, this.patienceMs)
      const waiting = [...Object.values(this.lanes), this.turns].flatMap((work) => work.takeOut(isOverdue))
      const queued = takeOut(this.queue, isOverdue)
      for (const job of queued) this.beginNext(job)
      for (const job of [...waiting, ...queued]) job.reject(rejectionOf(fault))
    }
    return this.away(jobs, fault)
  }

  /** The database is away, or too busy. */
  private away(jobs: readonly Job[], fault: PostgresFault): null {
    for (const job of jobs) {
      if (!isForGood(fault) && this.connections.mayRetry(job, this.patienceMs)) {
        this.machine.after(PAUSE_WHILE_AWAY_MS, () => this.put(job))
      } else job.reject(rejectionOf(fault))
    }
    return null
  }

  private async findOut(
    transaction: UnitTransaction,
    jobs: readonly Job[],
    outcome: Outcome,
    fault: PostgresFault,
  ): Promise<void> {
    this.counted.lostOutcomes++
    const isCommitted = await this.outcomes.ask(outcome)
    if (isCommitted) this.committed(transaction)
    else if (isCommitted === false) this.away(jobs, fault)
    else for (const job of jobs) job.reject(new CommitOutcomeUnknown({ cause: fault }))
  }
}

/** No retry finds the database otherwise. */
function isForGood({ kind }: PostgresFault): boolean {
  return kind === "LOG_SHORTER" || kind === "SCHEMA_NEWER"
}

// biome-ignore lint/correctness/useYield: it only wants to know its version
function* versionItself(version: number): Unit<number> {
  return version
}
