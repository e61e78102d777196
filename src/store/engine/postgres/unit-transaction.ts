/** One attempt at a transaction with one unit, or with several that share an order. */
import { restoredAt, type SeenHead, type WatchedLog } from "../../log/shorter-log.ts"
import { readTreeHead } from "../../log/transparency-log.ts"
import { type Order, OrderNeeded } from "../order.ts"
import { takesNoLease } from "../read-unit.ts"
import type { Statement, Unit } from "../unit.ts"
import type { Connection } from "./connection.ts"
import { driveLater } from "./drive-later.ts"
import type { Job } from "./job.ts"
import { ORDERS } from "./orders.ts"
import { noteOutcome, type Outcome } from "./outcomes.ts"
import { Pipeline } from "./pipeline.ts"
import { faultOf, PostgresFault } from "./postgres-fault.ts"
import { postgresStatement } from "./postgres-statements.ts"
import { rejectionOf } from "./rejection.ts"

/** A unique key that exists may be a lost race. If it still exists when the unit runs for the third time, it is the unit's own fault. */
const DUPLICATES_MAX = 3

/** The weaker one is for tests of what SERIALIZABLE prevents. */
export type Isolation = "serializable" | "repeatable read"

interface Parts {
  readonly order: Order | null
  readonly isolation: Isolation
  readonly outcome: Outcome
  readonly isClockRight: () => boolean
  /** What this process knows of the restores of the database; null if it did not see the log yet. */
  readonly restored: readonly string[] | null
}

export type Ended =
  | { readonly kind: "COMMITTED" }
  /** Nothing was written. Null: a unit of it must run again in another way. */
  | { readonly kind: "ROLLED_BACK"; readonly fault: PostgresFault | null }
  /** The answer to COMMIT did not arrive. */
  | { readonly kind: "UNKNOWN"; readonly fault: PostgresFault }

/** A unit failed outside a savepoint. Its caller gets no outcome yet. */
class MustRollBack extends Error {}

export class UnitTransaction {
  /** Each gives a caller its outcome. The store calls them once it knows that the transaction is committed. */
  readonly told: (() => void)[] = []
  /** Units that run again although the transaction did its work. */
  readonly again: Job[] = []
  private head: SeenHead | null = null
  private restored: readonly string[] | null
  private readonly pipeline: Pipeline
  private hasWritten = false
  /** The transaction has a row of its outcome: the first statement that writes inserts it too, which saves a statement. */
  private isNoted = false
  private isUnknown = false

  constructor(
    private readonly connection: Connection,
    private readonly jobs: readonly Job[],
    private readonly parts: Parts,
  ) {
    this.pipeline = new Pipeline(connection)
    this.restored = parts.restored
  }

  /** The log at the end of a transaction that took an order and wrote; null for any other. Counts once it is committed. */
  get watchedLog(): WatchedLog | null {
    const { head, restored } = this
    return head && restored && { head, restored }
  }

  /** Never rejects. Leaves the connection without a transaction, or closed. */
  async run(): Promise<Ended> {
    try {
      await this.begin()
      for (const job of this.jobs) await this.attempt(job)
      await this.commit()
      return { kind: "COMMITTED" }
    } catch (error) {
      const fault = error instanceof MustRollBack ? null : faultOf(error)
      if (fault && this.isUnknown) {
        this.connection.close()
        return { kind: "UNKNOWN", fault }
      }
      await this.connection.rollBack()
      return { kind: "ROLLED_BACK", fault }
    }
  }

  private async begin(): Promise<void> {
    const { order, isolation } = this.parts
    const taking = order && ORDERS[order]
    this.pipeline.tell(`begin isolation level ${taking?.isolation ?? isolation} read write`)
    if (!taking) return
    await this.pipeline.ask(taking.lock)
    this.restored ??= await this.read(restoredAt(), (statement) => this.rows(statement))
  }

  private async attempt(job: Job): Promise<void> {
    const isGuarded = job.isGuarded || this.jobs.length > 1
    const wasNoted = this.isNoted
    if (isGuarded) this.pipeline.tell("savepoint unit")
    try {
      const value = await driveLater(job.unit(), {
        rows: (statement) => this.rows(statement),
        holds: (order) => order === this.parts.order,
        isClockRight: this.parts.isClockRight,
      })
      this.told.push(() => job.resolve(value))
    } catch (error) {
      if (error instanceof PostgresFault && endsTransaction(error)) throw error
      const runsAgain = runsInAnotherWay(job, error)
      if (!isGuarded) {
        job.isGuarded ||= !runsAgain
        throw new MustRollBack()
      }
      this.pipeline.tell("rollback to savepoint unit")
      this.isNoted = wasNoted
      if (runsAgain) this.again.push(job)
      else this.told.push(() => job.reject(error instanceof PostgresFault ? rejectionOf(error) : error))
    }
    if (isGuarded) this.pipeline.tell("release savepoint unit")
  }

  private async rows({ query, values }: Statement): Promise<unknown[]> {
    const statement = postgresStatement(query)
    const parameters = statement.parameters(values)
    const isNoting = !statement.isRead && !this.isNoted
    if (!isNoting) return statement.rows(await this.pipeline.ask(statement.text, parameters))
    this.hasWritten = true
    this.isNoted = true
    return statement.rows(await this.pipeline.ask(statement.notingText, [...parameters, this.parts.outcome.id]))
  }

  /** Travels with COMMIT. */
  private readHead(): Promise<SeenHead> {
    return this.read(readTreeHead(), async ({ query, values }) => {
      const statement = postgresStatement(query)
      return statement.rows(await this.connection.send(statement.text, statement.parameters(values)))
    })
  }

  private read<T>(unit: Unit<T>, rows: (statement: Statement) => Promise<unknown[]>): Promise<T> {
    return driveLater(unit, {
      rows,
      holds: (order) => order === this.parts.order,
      isClockRight: takesNoLease,
    })
  }

  /** The answers before that of COMMIT are checked first: COMMIT after a failed statement answers ROLLBACK, which is no error. */
  private async commit(): Promise<void> {
    // A transaction that wrote nothing may simply run again. The note is lacking if the unit that wrote it was undone.
    if (this.hasWritten && !this.isNoted) noteOutcome(this.pipeline, this.parts.outcome)
    const head = this.hasWritten && this.parts.order ? this.readHead() : null
    // An earlier statement may fail first: then nobody awaits it, and its failure must not end the process.
    head?.catch(() => {})
    const committed = this.connection.send("commit")
    try {
      await this.pipeline.check()
      this.head = await head
    } catch (error) {
      this.isUnknown = this.hasWritten && !isRefusedStatement(faultOf(error))
      throw error
    }
    try {
      const { command } = await committed
      if (command !== "COMMIT") throw new PostgresFault("ROLLED_BACK", "the transaction was rolled back")
    } catch (error) {
      this.isUnknown = this.hasWritten && !isRefusedCommit(faultOf(error))
      throw error
    }
  }
}

/** Whether the unit runs once more before its failure counts: it takes an order, or may have lost a race for a unique key. */
function runsInAnotherWay(job: Job, error: unknown): boolean {
  if (error instanceof OrderNeeded && job.order === null) {
    job.order = error.order
    return true
  }
  if (!(error instanceof PostgresFault) || error.kind !== "DUPLICATE") return false
  job.duplicates++
  // The failure of the last run counts, and only if its transaction commits.
  if (job.duplicates === DUPLICATES_MAX - 1) job.isGuarded = true
  return job.duplicates < DUPLICATES_MAX
}

/** The transaction cannot go on, or the fault is not the unit's. */
function endsTransaction({ kind }: PostgresFault): boolean {
  return kind !== "DUPLICATE" && kind !== "OTHER"
}

/** The server refused a statement and keeps the connection: it answers ROLLBACK to a COMMIT that follows. */
function isRefusedStatement({ code, kind }: PostgresFault): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && kind !== "LOST"
}

/** The errors of COMMIT that prove a rollback: a conflict, a constraint that is checked late, or our own ROLLED_BACK. Any other may come after a commit. */
function isRefusedCommit({ code }: PostgresFault): boolean {
  return /^(ROLLED_BACK|40001|40P01|23...)$/.test(code)
}
