/**
 * One session of a simulated process at a real server. Statements and answers travel in virtual time, and the network may cut the session or the
 * server may refuse a statement. The server does its work within the step in which a statement arrives.
 */
import type { Answer } from "../../../src/store/engine/postgres/driver.ts"
import { SERVER_NOW } from "../../../src/store/engine/postgres/measured-clock.ts"
import type { Owner, Scheduler } from "../scheduler.ts"
import { driverError, type PostgresServer } from "./postgres-server.ts"
import type { Outcome, Sent } from "./postgres-thread.ts"
import type { Refusal, StatementFault } from "./server-faults.ts"

/** The server ends a statement and an idle transaction after this long, as it does in real time: see the store's settings. Virtual ms. */
const STATEMENT_MS_MAX = 2_500
const IDLE_MS_MAX = 2_000
/** A server behind a cut network notices in the end. */
const NOTICED_MS = 8_000
/** A rollback waits for company this long, because its sender does not await it and each arrival takes real time; virtual ms. */
const ROLLBACK_MS = 30

export interface SessionParts {
  readonly server: PostgresServer
  readonly scheduler: Scheduler
  readonly owner: Owner
  /** How long a message travels, virtual ms. */
  latency(): number
  /** The clock of the server, virtual ms since the epoch. */
  now(): number
  /** Called when a statement arrives. */
  fault(text: string, isWriting: boolean): StatementFault | null
  /** Called when a transaction that may have written is committed. */
  committed(): void
  count(what: string): void
  kill(): void
  /** The process learns that the session is gone. */
  onLost(): void
}

type Transaction = "NONE" | "READING" | "WRITING"

interface Waiting {
  readonly sent: Sent
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

/** What the server runs in place of a statement that it refuses. */
const refusing = (code: Refusal) => `do $$ begin raise exception 'simulated' using errcode = '${code}'; end $$`
const NONE = () => {}

export class SimulatedSession {
  private readonly id: number
  /** On the way to the server. */
  private outbox: Waiting[] = []
  /** Receives the outcomes of the statements that are at the server. */
  private readonly atServer: ((outcome: Outcome) => void)[] = []
  /** On the way back. */
  private inbox: (() => void)[] = []
  private readonly unanswered = new Set<Waiting>()
  /** The server has it. */
  private isServed = true
  /** Nothing travels any more. */
  private isCut = false
  private isLost = false
  /** By the statements that have arrived, and by those that the server has run. */
  private arrivingIn: Transaction = "NONE"
  private transaction: Transaction = "NONE"
  private arrivals = 0

  /** Throws the driver's error if the server takes no session. */
  constructor(private readonly parts: SessionParts) {
    this.id = parts.server.open((outcome) => this.atServer.shift()?.(outcome))
  }

  send(sent: Sent): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.isLost) {
        reject(closedError())
        return
      }
      const waiting = { sent, resolve, reject }
      this.unanswered.add(waiting)
      // What a process sends to a server that is not there any more gets no answer.
      if (this.isCut) return
      const isFirst = this.outbox.every(({ sent }) => sent.text === "rollback")
      this.outbox.push(waiting)
      if (isFirst) this.travel(this.parts.latency() + (sent.text === "rollback" ? ROLLBACK_MS : 0))
    })
  }

  /** The process closes it, or ends. What it sent before still arrives. */
  close(): void {
    this.lose(NONE)
    if (!this.isCut) this.parts.scheduler.after(this.parts.latency(), "a session ends", null, () => this.endAtServer())
  }

  endAtServer(): void {
    if (!this.isServed) return
    this.isServed = false
    this.isCut = true
    this.outbox = []
    this.atServer.length = 0
    this.parts.server.end(this.id)
  }

  private travel(ms: number): void {
    this.parts.scheduler.after(ms, "statements arrive", null, () => this.arrive())
  }

  private arrive(): void {
    if (!this.isServed) return
    this.arrivals++
    const statements: Sent[] = []
    let after = NONE
    const arrived = this.outbox.splice(0)
    for (const [at, waiting] of arrived.entries()) {
      const fault = this.parts.fault(waiting.sent.text, this.arrivingIn === "WRITING")
      if (fault?.kind === "LATE") {
        after = () => this.delay(arrived.slice(at), fault.ms)
        break
      }
      if (fault?.kind === "CUT" || fault?.kind === "KILL") {
        after = () => (fault.kind === "CUT" ? this.cut(fault.isNoticed) : this.parts.kill())
        if (!fault.isAfter) break
      }
      this.arrivingIn = stateAfter(waiting.sent.text, this.arrivingIn)
      statements.push(...this.received(waiting, fault?.kind === "REFUSED" ? fault.code : null))
      if (after !== NONE) break
    }
    if (statements.length > 0) this.parts.server.send(this.id, statements)
    if (this.atServer.length > 0) this.limitStatement(this.arrivals)
    after()
  }

  /** The session is lost to the process, and what it sent arrives later. */
  private delay(late: readonly Waiting[], ms: number): void {
    const { scheduler, server, latency, count, onLost } = this.parts
    this.isCut = true
    this.lose(onLost)
    scheduler.after(ms, "statements arrive late", null, () => {
      if (!this.isServed) return
      count(
        late.some(({ sent }) => sent.text === "commit") ? "commits that came late" : "other statements that came late",
      )
      for (const { sent } of late) this.atServer.push((outcome) => this.ran(sent.text, outcome))
      const statements = late.map(({ sent }) => sent)
      server.send(this.id, statements)
      scheduler.after(latency(), "a session ends", null, () => this.endAtServer())
    })
  }

  /** What the server runs for a statement. A refused COMMIT has rolled back, and its session goes on. */
  private received(waiting: Waiting, refused: Refusal | null): Sent[] {
    const { sent } = waiting
    // A refused COMMIT is followed by the end of its transaction.
    const answer = (outcome: Outcome) => this.answer(waiting, outcome, refused === null ? sent.text : "")
    if (refused === null) {
      this.atServer.push(answer)
      return [{ ...sent, text: sent.text.replace(SERVER_NOW, `'${this.parts.now()}'`) }]
    }
    this.atServer.push(answer)
    const statements = [{ text: refusing(refused), parameters: [] }]
    if (sent.text !== "commit") return statements
    this.atServer.push((outcome) => this.ran("rollback", outcome))
    return [...statements, { text: "rollback", parameters: [] }]
  }

  private ran(text: string, outcome: Outcome): void {
    const isCommitted = this.transaction === "WRITING" && "command" in outcome && outcome.command === "COMMIT"
    this.transaction = stateAfter(text, this.transaction)
    if (isCommitted) this.parts.committed()
  }

  /** `text`: of the statement that the server ran. */
  private answer(waiting: Waiting, outcome: Outcome, text: string): void {
    this.ran(text, outcome)
    if ("names" in outcome) this.failed(outcome.names)
    this.limitIdle(this.arrivals)
    if (this.isCut) return
    this.inbox.push(() => {
      this.unanswered.delete(waiting)
      if ("names" in outcome) waiting.reject(driverError(outcome.message, outcome.names))
      else waiting.resolve(answerOf(outcome))
    })
    if (this.inbox.length > 1) return
    this.parts.scheduler.after(this.parts.latency(), "answers of the database", this.parts.owner, () => {
      for (const settle of this.inbox.splice(0)) settle()
    })
  }

  private failed({ errno, code }: Readonly<Record<string, string>>): void {
    const name = errno ?? code ?? "without a code"
    this.parts.count(`answers ${name}`)
    // The server itself ended the session.
    if (name.startsWith("57P") || name.startsWith("25P03") || name.startsWith("ERR_POSTGRES_CONNECTION")) {
      this.parts.count("sessions that the server ended")
    }
  }

  /** `isNoticed`: by the server at once. Otherwise its transaction and its locks stay for a while. */
  private cut(isNoticed: boolean): void {
    if (this.isCut) return
    const { scheduler, owner, latency, onLost } = this.parts
    this.parts.count(isNoticed ? "sessions cut" : "sessions cut that the server did not notice")
    this.isCut = true
    this.outbox = []
    if (isNoticed) this.endAtServer()
    else scheduler.after(NOTICED_MS, "the server notices a cut", null, () => this.endAtServer())
    scheduler.after(latency(), "a session is lost", owner, () => this.lose(onLost))
  }

  private lose(onLost: () => void): void {
    if (this.isLost) return
    this.isLost = true
    this.inbox = []
    for (const { reject } of this.unanswered) reject(closedError())
    this.unanswered.clear()
    onLost()
  }

  private limitStatement(arrival: number): void {
    this.parts.count("waits for a lock")
    this.parts.scheduler.after(STATEMENT_MS_MAX, "a statement takes too long", null, () => {
      if (this.isServed && this.arrivals === arrival && this.atServer.length > 0) this.parts.server.cancel(this.id)
    })
  }

  private limitIdle(arrival: number): void {
    if (this.transaction === "NONE") return
    this.parts.scheduler.after(IDLE_MS_MAX, "a transaction is idle", null, () => {
      const isIdle = this.isServed && this.arrivals === arrival && this.atServer.length === 0
      if (!isIdle || this.transaction === "NONE") return
      this.parts.count("idle transactions ended")
      const { scheduler, owner, latency, onLost } = this.parts
      this.endAtServer()
      scheduler.after(latency(), "a session is lost", owner, () => this.lose(onLost))
    })
  }
}

function stateAfter(text: string, before: Transaction): Transaction {
  if (text.startsWith("begin")) return text.endsWith("read write") ? "WRITING" : "READING"
  return text === "commit" || text === "rollback" ? "NONE" : before
}

function answerOf({ rows, count, command }: Extract<Outcome, { command: unknown }>): Answer {
  return Object.assign([...rows], { count, command })
}

export function closedError(): Error {
  const names = { code: "ERR_POSTGRES_CONNECTION_CLOSED" }
  return driverError("the connection is closed", names)
}
