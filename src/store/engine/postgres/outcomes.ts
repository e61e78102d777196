/**
 * Finds out whether a transaction was committed whose COMMIT got no answer. Each transaction that writes leaves a row; who asks puts a row of
 * the same id there, which waits for the transaction, and reads who wrote the row that is there. "Nothing was inserted" would not do: the answer
 * to the asking statement can get lost as well, and the next one would find the asker's own row.
 */
import type { Connection, PostgresMachine } from "./connection.ts"
import type { Connections } from "./connections.ts"
import { Pipeline } from "./pipeline.ts"

export interface NotedOutcome {
  readonly id: string
  /** RFC 3339, for the removal of old rows. */
  readonly at: string
}

/** A row is of use while somebody may ask for it, in milliseconds. */
export const OUTCOMES_KEPT_MS = 3_600_000
const PURGED_AT_ONCE = 1_000
const FIRST_PAUSE_MS = 10
const PAUSE_MS_MAX = 500

const NOTE = "insert into unit_outcome (id, committed, at) values ($1, 1, $2)"
const CLAIM = "insert into unit_outcome (id, committed, at) values ($1, 0, $2) on conflict do nothing"
const READ = "select committed::text from unit_outcome where id = $1"
const PURGE = `delete from unit_outcome where id in (select id from unit_outcome where at < $1 order by at, id limit ${PURGED_AT_ONCE})`

export function noteOutcome(pipeline: Pipeline, { id, at }: NotedOutcome): void {
  pipeline.tell(NOTE, [id, at])
}

export class LostOutcomes {
  constructor(
    private readonly connections: Connections,
    private readonly machine: PostgresMachine,
    /** How long the question is repeated. */
    private readonly patienceMs: number,
  ) {}

  /** Whether the transaction was committed. Null if the database did not answer in time. */
  async ask(outcome: NotedOutcome): Promise<boolean | null> {
    const since = this.machine.monotonic()
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(PAUSE_MS_MAX, pause * 2)) {
      const answer = await this.askOnce(outcome)
      if (answer !== null) return answer
      if (this.machine.monotonic() - since > this.patienceMs) return null
      await new Promise<void>((resume) => void this.machine.after(pause, resume))
    }
  }

  /** Removes rows that nobody asks for any more, at most {@link PURGED_AT_ONCE}. Returns how many. Rejects with a fault. */
  async purge(before: string): Promise<number> {
    const connection = await this.connections.take()
    try {
      return await alone(connection, async (pipeline) => (await pipeline.ask(PURGE, [before])).count)
    } finally {
      this.connections.give(connection)
    }
  }

  private async askOnce({ id, at }: NotedOutcome): Promise<boolean | null> {
    const connection = await this.connections.take().catch(() => null)
    if (!connection) return null
    try {
      return await alone(connection, async (pipeline) => {
        pipeline.tell(CLAIM, [id, at])
        const [[committed] = []] = await pipeline.ask(READ, [id])
        return committed === "1"
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
    if (!connection.isClosed) await connection.send("rollback").catch(() => connection.close())
    throw error
  }
}
