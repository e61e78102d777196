/**
 * Finds out whether a transaction was committed whose COMMIT got no answer. Each transaction that writes inserts a row with `committed` 1. To find
 * out, this process inserts a row of the same id with `committed` 0, unless there is one: that INSERT waits until the transaction has ended. It
 * returns `committed` of the row. The number of inserted rows alone would not tell: if the answer to the INSERT is lost, a second INSERT meets the
 * row of the first.
 */
import { MINUTE } from "../../../core/time.ts"
import type { Connection, PostgresMachine } from "./connection.ts"
import type { Connections } from "./connections.ts"
import { instantText, type MeasuredClock, SERVER_NOW } from "./measured-clock.ts"
import { NOTE, NOW } from "./outcome-note.ts"
import { Pipeline } from "./pipeline.ts"

/** The time does not change within the statement, so an index finds the rows. */
const HOUR_AGO = instantText("(statement_timestamp() - interval '1 hour')")
/** Shorter than the hour for which a row stays, because clocks are compared only now and then. A later question may find the row removed. */
const CERTAIN_FOR_MS = 50 * MINUTE
/** By so much the server's clock may seem to be set back: it was measured in a round trip. */
const SET_BACK_MS_MAX = MINUTE
const PURGED_AT_ONCE = 1_000
const FIRST_PAUSE_MS = 10
const PAUSE_MS_MAX = 500

/**
 * It always writes, so its COMMIT waits for the synchronous standby. The COMMIT that it asks for may have ended before the standby had it: the row
 * is then on this server alone.
 */
const CLAIM = `insert into unit_outcome (id, committed, at) values ($1, 0, ${NOW})
  on conflict (id) do update set committed = unit_outcome.committed returning committed::text, ${SERVER_NOW}`
const PURGE = `delete from unit_outcome where id in (select id from unit_outcome where at < ${HOUR_AGO} order by at, id limit ${PURGED_AT_ONCE})`

/** Of one transaction. */
export interface Outcome {
  readonly id: string
  /** Before the transaction began, by the server's clock, in milliseconds since the epoch. */
  readonly madeAt: number
}

/** Null: nobody can say it. */
type IsCommitted = boolean | null

export function newOutcome(machine: Pick<PostgresMachine, "random">, clock: MeasuredClock): Outcome {
  return { id: Buffer.from(machine.random(16)).toString("base64url"), madeAt: clock.now() }
}

/** For the transaction of the pipeline, as a statement of its own. */
export function noteOutcome(pipeline: Pipeline, { id }: Outcome): void {
  pipeline.tell(NOTE, [id])
}

export class LostOutcomes {
  constructor(
    private readonly connections: Connections,
    private readonly machine: PostgresMachine,
    /** How long {@link ask} repeats its question. */
    private readonly patienceMs: number,
  ) {}

  /** Whether the transaction was committed. Null if the database did not answer in time, or was asked too late. */
  async ask(outcome: Outcome): Promise<IsCommitted> {
    const since = this.machine.monotonic()
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(PAUSE_MS_MAX, pause * 2)) {
      const answer = await this.askOnce(outcome)
      if (answer) return answer.isCommitted
      if (this.machine.monotonic() - since > this.patienceMs) return null
      await this.machine.sleep(pause)
    }
  }

  /** Removes at most {@link PURGED_AT_ONCE} rows that nobody asks for any more, and returns how many. Rejects with a fault. */
  async purge(): Promise<number> {
    const connection = await this.connections.take()
    try {
      return await alone(connection, async (pipeline) => (await pipeline.ask(PURGE)).count)
    } finally {
      this.connections.give(connection)
    }
  }

  /** Null after any fault: {@link ask} repeats the question. */
  private async askOnce({ id, madeAt }: Outcome): Promise<{ readonly isCommitted: IsCommitted } | null> {
    const connection = await this.connections.take().catch(() => null)
    if (!connection) return null
    try {
      return await alone(connection, async (pipeline) => {
        const [[committed, serverNow] = []] = await pipeline.ask(CLAIM, [id])
        if (committed === "1") return { isCommitted: true }
        const age = Number(serverNow) - madeAt
        // Otherwise the process stood still, or the server's clock jumped.
        const isCertain = age >= -SET_BACK_MS_MAX && age <= CERTAIN_FOR_MS
        return { isCommitted: isCertain ? false : null }
      })
    } catch {
      return null
    } finally {
      this.connections.give(connection)
    }
  }
}

/** Runs statements in a transaction that sees what others commit meanwhile. Returns after its commit. */
async function alone<T>(connection: Connection, work: (pipeline: Pipeline) => Promise<T>): Promise<T> {
  const pipeline = new Pipeline(connection)
  pipeline.tell("begin isolation level read committed read write")
  try {
    const found = await work(pipeline)
    await connection.send("commit")
    return found
  } catch (error) {
    await connection.rollBack()
    throw error
  }
}
