/** A whole simulated world: one chain, one or two nodes, one database file, one to three processes, and its buyers and thieves. */
import { Books } from "./books.ts"
import type { Conditions } from "./database/conditions.ts"
import { openSimulatedDatabase } from "./database/open-simulated-database.ts"
import type { EngineName, SimulatedDatabase } from "./database/simulated-database.ts"
import { enterAll } from "./enter-all.ts"
import { FAULTS, type FaultLevel, type FaultRates } from "./faults.ts"
import { AnswerInspector } from "./inspectors/answer-inspector.ts"
import { EndInspector } from "./inspectors/end-inspector.ts"
import { FormerInspector } from "./inspectors/former-inspector.ts"
import { MoneyInspector } from "./inspectors/money-inspector.ts"
import { type Report, RowInspector } from "./inspectors/row-inspector.ts"
import { WaitInspector } from "./inspectors/wait-inspector.ts"
import type { JobHabits } from "./jobs/job-plan.ts"
import { JobSide } from "./jobs/job-side.ts"
import { NodeHealth } from "./link.ts"
import type { Habits } from "./purchase.ts"
import { Random } from "./random.ts"
import { type Owner, Scheduler } from "./scheduler.ts"
import { type SealedGlobals, sealGlobals } from "./sealed-globals.ts"
import { type HeldLease, servedSince, worksSince } from "./served-since.ts"
import { Servers } from "./servers.ts"
import { SimulatedChain } from "./simulated-chain.ts"
import { SimulatedNetwork } from "./simulated-network.ts"
import { EVERYBODY, Trace } from "./trace.ts"
import { type Violation, ViolationFound, type ViolationKind } from "./violation.ts"

export interface SimulationOptions {
  readonly seed: string
  readonly purchases: number
  /** Bought by jobs. */
  readonly jobs: number
  readonly jobArrivalMeanMs?: number
  readonly jobHabits?: JobHabits
  readonly processes: number
  /** Between two purchases on average. */
  readonly arrivalMeanMs?: number
  /** Shares of the buyers' habits instead of the usual ones. */
  readonly habits?: Habits
  /** How long a buyer tries, virtual ms. */
  readonly patienceMs?: number
  readonly faults: FaultLevel
  /** Rates that differ from the level's. */
  readonly rates: Partial<FaultRates>
  /** Null: drawn by the seed. */
  readonly nodes: 1 | 2 | null
  /** Whether sales stop while the machine's clock differs from the chain's (rulings 40). */
  readonly hasClockStop: boolean
  /** Violations of these kinds are counted and ignored. */
  readonly muted: ReadonlySet<ViolationKind>
  /** Keeps the trace's lines. */
  readonly isTold: boolean
  readonly engine: EngineName
  /** Of a file that does not exist, for a database. */
  readonly path: string
}

/** True time when a run begins. */
const START = Date.UTC(2026, 10, 20, 10, 0, 0)

/** How long a round of the workers may take more where statements take virtual time; many payments may wait after a freeze. */
const DATABASE_MS: Readonly<Record<EngineName, number>> = { sqlite: 0, postgres: 20_000 }

export interface KeptSums {
  readonly totals: readonly { readonly delegationId: string; readonly millionths: string }[]
  readonly days: readonly { readonly delegationId: string; readonly requests: number }[]
  readonly unsettled: readonly { readonly payer: string; readonly value: string }[]
}

export class Simulation {
  readonly trace: Trace
  readonly scheduler: Scheduler
  readonly random: Random
  readonly books = new Books(() => this.scheduler.time)
  readonly money: MoneyInspector
  readonly answers: AnswerInspector
  readonly waits: WaitInspector
  readonly former: FormerInspector
  readonly chain: SimulatedChain
  readonly healths: readonly NodeHealth[]
  readonly database: SimulatedDatabase
  readonly servers: Servers
  readonly network: SimulatedNetwork
  /** Null in a world without jobs. */
  readonly jobSide: JobSide | null
  readonly globals: SealedGlobals
  readonly overlooked = new Map<ViolationKind, number>()
  /** How often each fault of processes and database happened. */
  readonly counts = new Map<string, number>()
  rates: FaultRates
  /** How far the machine's clock is ahead of true time, ms. All processes share it. */
  clockOffset = 0
  /** When it was last set right, virtual ms. */
  clockRightAt = 0
  private readonly rows: RowInspector
  private readonly ends: EndInspector
  private isCommitted = false
  private found: Violation | null = null

  constructor(readonly options: SimulationOptions) {
    this.random = new Random(options.seed)
    this.trace = new Trace(options.isTold)
    this.rates = { ...FAULTS[options.faults], ...options.rates }
    this.scheduler = new Scheduler(this.random.stream("order"), (name, owner, time) => this.stepped(name, owner, time))
    const report: Report = (kind, text, about) => this.violate(kind, text, about)
    this.rows = new RowInspector(this.books, report, () => this.jobSide?.books ?? null)
    const nodes = options.nodes ?? (this.random.stream("nodes").chance(0.5) ? 1 : 2)
    this.healths = ["primary", "second"].slice(0, nodes).map((name) => new NodeHealth(name))
    const seen = { books: this.books, report, time: () => this.scheduler.time }
    const headSeconds = () => this.chain.model.head.timestamp
    const lastUntrueAt = () => Math.max(...this.healths.map((health) => health.lastUntrueAt))
    this.money = new MoneyInspector({ ...seen, headSeconds, lastUntrueAt })
    this.waits = new WaitInspector({
      ...seen,
      model: () => this.chain.model,
      servedSince: (id) => servedSince(this, this.leaseOf(id)),
      isGasDear: () => this.chain.isDear,
      databaseMs: DATABASE_MS[options.engine],
    })
    this.former = new FormerInspector({
      ...seen,
      model: () => this.chain.model,
      processes: () => this.servers.all,
      worksSince: (process) => worksSince(this, process),
      databaseMs: DATABASE_MS[options.engine],
    })
    this.ends = new EndInspector({
      ...seen,
      safe: () => this.chain.model.safe,
      isSpentWhenSafe: (key) => this.chain.model.ledger.isSpent(key, this.chain.model.safe.number),
    })
    this.answers = new AnswerInspector({
      ...seen,
      headSeconds,
      lastUntrueAt,
      readsTakeTime: options.engine === "postgres",
    })
    this.chain = new SimulatedChain({
      scheduler: this.scheduler,
      now: () => this.now(),
      note: (text, about) => this.note(text, about),
      onMined: (block) => {
        this.readCommitted()
        this.money.mined(block)
        this.waits.mined(block)
        this.former.mined(block)
        this.jobSide?.mined(block)
      },
      onDropped: (block) => {
        this.money.dropped(block)
        this.jobSide?.dropped(block)
      },
      hasEscrow: options.jobs > 0,
      clock: this.rates.chainClock > 0 ? this.random.stream("chain clock") : null,
    })
    this.jobSide = options.jobs > 0 ? new JobSide(this, options, report) : null
    this.globals = sealGlobals()
    this.globals.setDate(this.now())
    this.servers = new Servers(this, options.processes)
    this.database = openSimulatedDatabase(options, {
      scheduler: this.scheduler,
      conditions: this.conditions(),
      start: START,
    })
    const { purchases, jobs } = options
    enterAll({ database: this.database, random: this.random.stream("setup"), purchases, jobs, start: START })
    this.database.watch()
    this.network = new SimulatedNetwork(this)
  }

  /** True time in ms. */
  now(): number {
    return START + Math.floor(this.scheduler.time)
  }

  /** What the machine's clock shows, ms. */
  wallClock(): number {
    return this.now() + Math.floor(this.clockOffset)
  }

  /** Seconds since the run began, of seconds since the epoch. */
  secondsOf(epochSeconds: number): number {
    return epochSeconds - START / 1000
  }

  note(text: string, about: readonly string[]): void {
    this.trace.note(this.scheduler.time, text, about)
  }

  count(what: string, times = 1): void {
    if (times > 0) this.counts.set(what, (this.counts.get(what) ?? 0) + times)
  }

  violate(kind: ViolationKind, text: string, about: readonly string[]): void {
    this.note(`VIOLATION ${kind}: ${text}`, about)
    if (this.options.muted.has(kind)) {
      this.overlooked.set(kind, (this.overlooked.get(kind) ?? 0) + 1)
      return
    }
    // Not thrown here: the code under test may be between this and the run, and would catch it.
    this.found ??= { kind, text, about, at: this.scheduler.time }
  }

  /** Throws the first violation. */
  requireSound(): void {
    if (this.found) throw new ViolationFound(this.found)
  }

  /** Runs steps until `isDone`, at most to `until` (virtual ms). Returns whether it is done. Throws {@link ViolationFound}. */
  runUntil(isDone: () => boolean, until: number): boolean {
    while (!isDone()) {
      if (!this.scheduler.step(until)) return isDone()
      this.readCommitted()
      this.requireSound()
    }
    return true
  }

  /** Reads the changes committed since the last call, and inspects them. */
  readCommitted(): void {
    const [leak] = this.globals.refused
    if (leak !== undefined) this.violate("leak", leak, [])
    if (!this.isCommitted) return
    this.isCommitted = false
    const changes = this.database.changes()
    for (const change of changes) {
      this.books.apply(change)
      if (change.table !== "payment_attempt" || change.after === null) continue
      const { id, payer, nonce, state, reason, requestId } = change.after
      this.trace.same(id, `${payer}:${nonce}`.toLowerCase())
      const from = change.before?.state ?? "nothing"
      if (from !== state) this.note(`attempt ${id} ${from} to ${state} ${reason ?? ""} (${requestId})`, [id])
      this.money.moved(change.before, change.after)
      this.ends.changed(change.before, change.after)
      this.waits.changed(change.before, change.after)
      if (from !== state && (state === "RELEASED" || state === "FAILED")) this.network.givenUp(payer, nonce)
    }
    this.jobSide?.changed(changes)
    this.rows.inspect(changes)
  }

  /**
   * Whether a process was frozen, a node was untrue or slow, or the chain's clock was set, in the last `ms` virtual ms; jobs judge deadlines
   * by it.
   */
  wasDelayed(ms: number): boolean {
    const since = this.scheduler.time - ms
    const isUntrue = this.healths.some(({ lastUntrueAt, outageUntil }) => lastUntrueAt >= since || outageUntil >= since)
    return isUntrue || this.chain.clockSetAt >= since || this.servers.all.some(({ thawedAt }) => thawedAt >= since)
  }

  /** Jobs at which a process will look again. */
  openJobs(): number {
    return this.database.rows("SELECT id FROM acp_job WHERE look_at IS NOT NULL").length
  }

  /** The sums that the database stores in addition to its rows. */
  keptSums(): KeptSums {
    const { database } = this
    return {
      totals: database.rows(`SELECT delegation_id AS "delegationId", millionths FROM delegation_total`),
      days: database.rows(
        `SELECT delegation_id AS "delegationId", CAST(SUM(requests) AS INTEGER) AS requests
         FROM delegation_day GROUP BY delegation_id`,
      ),
      unsettled: database.rows("SELECT payer, value FROM unsettled_value"),
    }
  }

  /** Frees all resources of the run. */
  close(): void {
    this.servers.close()
    this.database.close()
    this.globals.unseal()
  }

  private leaseOf(attemptId: string): HeldLease {
    const sql = "SELECT lease_owner AS owner, lease_until AS until FROM payment_attempt WHERE id = ?1"
    const [lease] = this.database.rows<HeldLease>(sql, attemptId)
    return lease ?? { owner: null, until: null }
  }

  private conditions(): Conditions {
    const simulation = this
    return {
      get time() {
        return simulation.scheduler.time
      },
      get rates() {
        return simulation.rates
      },
      get diskFullUntil() {
        return simulation.servers.diskFullUntil
      },
      get awayUntil() {
        return simulation.servers.awayUntil
      },
      committed: () => {
        this.isCommitted = true
      },
      count: (what, times) => this.count(what, times),
      note: (text) => this.note(text, [EVERYBODY]),
    }
  }

  private stepped(name: string, owner: Owner | null, time: number): void {
    this.trace.step(time, owner?.name ?? "", name)
    this.globals.setDate(this.wallClock())
  }
}
