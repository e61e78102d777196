/**
 * What this process saw of the transparency log. A server that takes over must have all of it. Otherwise an asynchronous standby was promoted, or the
 * database was set back. Then this process uses the database no more, until it starts again and finds it right.
 */
import {
  judgeLog,
  type SeenHead,
  type SeenLog,
  type ShorterLog,
  shorterLogText,
  type WatchedLog,
} from "../../log/shorter-log.ts"
import { holdsNoOrder, takesNoLease } from "../read-unit.ts"
import type { Connection } from "./connection.ts"
import { driveLater } from "./drive-later.ts"
import { Pipeline } from "./pipeline.ts"
import { PostgresFault } from "./postgres-fault.ts"
import { readRows, VIEW } from "./read-rows.ts"

export class LogWitness implements SeenLog {
  private largest: SeenHead | null = null
  private shorter: ShorterLog | null = null
  private restores: readonly string[] | null = null

  /** The largest head that was committed. */
  get seen(): SeenHead | null {
    return this.largest
  }

  /** Null while the log continues what this process saw. */
  get found(): ShorterLog | null {
    return this.shorter
  }

  /**
   * When each restore was recorded that the database had when this process last found its log right. Null before it saw the log: whoever notes a
   * shorter log must know it.
   */
  get restored(): readonly string[] | null {
    return this.restores
  }

  /** `head`: of a transaction that is committed. */
  saw({ head, restored }: WatchedLog): void {
    if (head.size > (this.largest?.size ?? 0)) this.largest = head
    this.restores ??= restored
  }

  /** That of a log that was found to lack leaves; null before that. */
  get fault(): PostgresFault | null {
    return this.shorter && new PostgresFault("LOG_SHORTER", shorterLogText(this.shorter))
  }

  /** Throws {@link fault}. */
  require(): void {
    if (this.fault) throw this.fault
  }

  /** Reads the log on a new connection. Rejects with the same fault. A process that saw no leaf has nothing to compare. */
  async judge(connection: Connection): Promise<void> {
    if (this.largest === null) return
    const pipeline = new Pipeline(connection)
    pipeline.tell(VIEW)
    const { shorter, ...log } = await driveLater(judgeLog(this.largest), {
      rows: (statement) => readRows(pipeline, statement),
      holds: holdsNoOrder,
      isClockRight: takesNoLease,
    })
    void connection.rollBack()
    this.judged(log, shorter)
    this.require()
  }

  judged(log: WatchedLog, shorter: ShorterLog | null): void {
    if (shorter) {
      this.shorter ??= shorter
      return
    }
    this.restores = log.restored
    this.saw(log)
  }
}
