/** One session of one server, with a deadline for each answer. It has a client of its own, because a shared client would reconnect by itself. */
import type { Machine } from "../../../base/machine.ts"
import { Deadline } from "./deadline.ts"
import { type Answer, type Client, type Driver, type Session, tagged } from "./driver.ts"
import { type MeasuredClock, SERVER_NOW } from "./measured-clock.ts"
import { faultOf, PostgresFault } from "./postgres-fault.ts"
import type { Host, PostgresTarget } from "./postgres-target.ts"
import { NEWEST_APPLIED, requireShare, SHARE_SCHEMA } from "./schema-share.ts"
import { ENDED_IF_CUT_OFF, settingsOf } from "./session-settings.ts"

export type PostgresMachine = Pick<Machine, "now" | "monotonic" | "sleep" | "after" | "soon" | "random">

/** A connection that owes an answer and gives none for this long counts as lost, in milliseconds. */
export const DEADLINE_MS = 3_000
/** In seconds, for each host. */
const CONNECT_SECONDS = 2

export interface ConnectionParts {
  readonly machine: PostgresMachine
  readonly deadlineMs: number
  readonly driver: Driver
  readonly clock: MeasuredClock
  /** Ordinal of the newest migration that this program knows. */
  readonly newestMigration: number
}

/**
 * The server ends a statement, and the locks of its transaction, before our deadline. At the deadline we close the connection, and a server
 * behind a cut network does not notice that.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  application_name: "bizauth",
  statement_timeout: "2500",
  lock_timeout: "2000",
  idle_in_transaction_session_timeout: "2000",
  // Plans for the values of one call prefer tiny partial indexes, which the units of strangers share.
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  // Before version 18 a plan of a disabled kind has a huge cost, and the server would compile it to machine code.
  jit: "off",
  // If BEGIN fails, the statement that travelled behind it must not write on its own.
  default_transaction_read_only: "on",
  TimeZone: "UTC",
  DateStyle: "ISO",
}

const NO_TABLE = "42P01"

export class Connection {
  private closed = false

  private constructor(
    private readonly client: Client,
    private readonly session: Session,
    private readonly deadline: Deadline,
    private readonly parts: ConnectionParts,
  ) {}

  /** Rejects with {@link PostgresFault}, also if the server is a standby. */
  static async open(target: PostgresTarget, host: Host, parts: ConnectionParts) {
    let opened: Connection | null = null
    const client = parts.driver({
      ...target.login(host),
      max: 1,
      connectionTimeout: CONNECT_SECONDS,
      onclose: () => opened?.close(),
    })
    const deadline = new Deadline(parts.machine, parts.deadlineMs)
    try {
      opened = new Connection(client, await deadline.require(client.reserve()), deadline, parts)
      await opened.setUp(target.schema)
      return opened
    } catch (error) {
      abandon(client)
      throw faultOf(error)
    }
  }

  get isClosed(): boolean {
    return this.closed
  }

  /** Sends a statement now; it runs after those sent before. Rejects with {@link PostgresFault}. A caller need not wait for the answer. */
  send(text: string, parameters: readonly unknown[] = []): Promise<Answer> {
    const query = parameters.length === 0 ? this.session(tagged(text)) : this.session.unsafe(text, [...parameters])
    const work = query.values().execute() as Promise<Answer>
    const answer = this.deadline.require(work).catch((error) => {
      const fault = faultOf(error)
      if (fault.kind === "LOST") this.close()
      throw fault
    })
    // A caller may look at the answer later, or never: a failure that nobody awaits yet must not end the process.
    answer.catch(() => {})
    return answer
  }

  /** Ends the transaction. If the server does not confirm that, the connection closes. Never rejects. */
  async rollBack(): Promise<void> {
    if (!this.closed) await this.send("rollback").catch(() => this.close())
  }

  /** Compares the clock of this process with the server's. Rejects with {@link PostgresFault}. */
  async measureClock(): Promise<void> {
    const { machine, clock } = this.parts
    const sentAt = machine.monotonic()
    const [[answer] = []] = await this.send(`select ${SERVER_NOW}`)
    clock.saw(answer, sentAt)
  }

  /** For good; what was sent and not answered rejects. */
  close(): void {
    if (this.closed) return
    this.closed = true
    abandon(this.client)
  }

  /**
   * Makes the settings, and requires that they are kept. They are statements, because PgBouncer refuses a connection that begins with any but a
   * few. A standby answers with an older state.
   */
  private async setUp(schema: string): Promise<void> {
    const names = Object.keys(SETTINGS)
    const settings = names.map((_, at) => `current_setting($${at + 1})`).join(", ")
    const { machine, clock, newestMigration } = this.parts
    const sentAt = machine.monotonic()
    const [[made = []], [row = []]] = await Promise.all([
      this.send(`${settingsOf({ ...SETTINGS, ...ENDED_IF_CUT_OFF, search_path: schema })}, ${SHARE_SCHEMA}`),
      this.send(`select ${SERVER_NOW}, pg_is_in_recovery(), ${NEWEST_APPLIED}, current_schema(), ${settings}`, names),
    ]).catch(unlessEmpty)
    const [serverNow, isStandby, newestApplied, foundSchema, ...found] = row
    clock.saw(serverNow, sentAt)
    if (isStandby) throw new PostgresFault("STANDBY", "the server is a standby")
    requireShare({ isShared: made.at(-1), newestApplied, newestKnown: newestMigration })
    const isKept = names.every((name, at) => isSame(SETTINGS[name] ?? "", String(found[at])))
    if (foundSchema !== schema || !isKept) throw new PostgresFault("SETTINGS", "the session does not keep its settings")
  }
}

function unlessEmpty(error: unknown): never {
  if (faultOf(error).code !== NO_TABLE) throw error
  throw new PostgresFault("SETTINGS", "the database has no tables of bizauth")
}

/** The client is of no use any more, whether or not it closes without a fault. */
function abandon(client: Client): void {
  void client.close({ timeout: 0 }).catch(() => {})
}

/** The server shows durations with a unit, and a style with its order of day and month. */
function isSame(set: string, shown: string): boolean {
  return shown === set || shown === `${set}ms` || shown === `${Number(set) / 1_000}s` || shown.startsWith(`${set}, `)
}
