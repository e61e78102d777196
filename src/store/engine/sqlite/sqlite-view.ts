/** Consistent views of one SQLite connection, one after the other. */
import type { Database } from "bun:sqlite"
import { drive } from "../drive-unit.ts"
import { holdsNoOrder, requireRead, takesNoLease } from "../read-unit.ts"
import type { Prepared, Statement, Unit } from "../unit.ts"
import type { CommitCount } from "./commit-count.ts"
import type { Durability, Settle } from "./log-sync.ts"
import type { View } from "./shared-reads.ts"
import { classify } from "./sqlite-code.ts"
import type { SqliteStatements } from "./sqlite-statements.ts"

export class SqliteView implements View {
  readonly holds = holdsNoOrder
  readonly isClockRight = takesNoLease
  private stopped: Error | null = null

  constructor(
    private readonly database: Database,
    private readonly statements: SqliteStatements,
    private readonly commits: CommitCount,
    private readonly durability: Durability,
  ) {}

  /** From now on `begin` throws `reason`. */
  stop(reason: Error): void {
    this.stopped = reason
  }

  /** Separate from the unit's own try: a BEGIN refused inside an open batch must not end that batch. */
  begin(): void {
    if (this.stopped) throw this.stopped
    try {
      this.database.run("BEGIN")
    } catch (error) {
      throw classify(error, this.database.filename)
    }
  }

  /** The view may show a commit of another process that is not on the disk yet. */
  version(): number {
    const version = this.commits.now()
    this.durability.saw(version)
    return version
  }

  run<T>(unit: Unit<T>): T {
    try {
      return drive(unit, this)
    } catch (error) {
      throw classify(error, this.database.filename)
    }
  }

  end(): void {
    if (this.database.inTransaction) this.database.run("ROLLBACK")
  }

  whenDurable(settles: readonly Settle[]): void {
    this.durability.whenDurable(settles)
  }

  /** Runs one unit on a view of its own. */
  once<T>(unit: () => Unit<T>): T {
    this.begin()
    try {
      this.version()
      return this.run(unit())
    } finally {
      this.end()
    }
  }

  prepare(query: Statement["query"]): Prepared<unknown> {
    const prepared = this.statements.of(query)
    requireRead(prepared)
    return prepared
  }
}
