/**
 * A database of its own on a real PostgreSQL. Each process has a real store; only the driver below its connections is simulated. A plan of the
 * server or a circle of locks may differ from run to run, so a run need not repeat to the last byte.
 */
import type { Driver, Session } from "../../../src/store/engine/postgres/driver.ts"
import { PostgresEngine } from "../../../src/store/engine/postgres/postgres-engine.ts"
import { PostgresStore } from "../../../src/store/engine/postgres/postgres-store.ts"
import { readTarget } from "../../../src/store/engine/postgres/target-text.ts"
import { withNumbers } from "../../fixtures/test-database.ts"
import type { Incarnation } from "../incarnation.ts"
import type { Random } from "../random.ts"
import type { Scheduler } from "../scheduler.ts"
import { type Change, type ChangeRow, changeOf, WATCHED } from "./changes.ts"
import type { Conditions } from "./conditions.ts"
import { driverError, postgresServer } from "./postgres-server.ts"
import { runToEnd } from "./run-to-end.ts"
import { serverFault } from "./server-faults.ts"
import type { DatabaseUser, SimulatedDatabase, UsedDatabase, Value } from "./simulated-database.ts"
import { closedError, type SessionParts, SimulatedSession } from "./simulated-session.ts"

/** A loop that runs many times in a virtual second would make most of all statements. */
const LOOP_MS_MIN = 1_000
/** How long a lost session may delay a process: locks that stay, and the pauses of the store; virtual ms. */
const DELAY_MS = 4_000

/** Of a process, or of the entries before a run. */
interface SessionUser {
  readonly life: Incarnation
  readonly scheduler: Scheduler
  readonly random: Random
  readonly fault: SessionParts["fault"]
  kill(): void
  onLost(): void
}

export class SimulatedPostgres implements SimulatedDatabase {
  private readonly server = postgresServer()
  private readonly url: string

  constructor(
    private readonly scheduler: Scheduler,
    private readonly conditions: Conditions,
  ) {
    this.url = this.server.newDatabase()
  }

  enter(
    { life, scheduler }: Parameters<SimulatedDatabase["enter"]>[0],
    enter: Parameters<SimulatedDatabase["enter"]>[1],
  ): void {
    const none = { fault: () => null, kill: () => {}, onLost: () => {} }
    const random = life.random.stream("database")
    const store = this.storeOf({ ...none, life, scheduler, random })
    const write = async (sql: string, ...values: Parameters<Parameters<typeof enter>[0]["beside"]["write"]>[1][]) =>
      this.server.rows(withNumbers(sql), values).length
    runToEnd(scheduler, enter({ store, beside: { write } }))
    life.die()
    while (scheduler.step());
  }

  watch(): void {
    const { server } = this
    server.rows("CREATE TABLE simulated_change (seq bigserial PRIMARY KEY, what text NOT NULL, old text, new text)")
    for (const { table, members, differs } of WATCHED) {
      const row = (side: "OLD" | "NEW") => `json_build_object(${members(side)})::text`
      const trigger = (event: string, when: string, before: string, after: string) => {
        const name = `simulated_${table}_${event}`
        server.rows(
          `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
           BEGIN INSERT INTO simulated_change (what, old, new) VALUES ('${table}', ${before}, ${after}); RETURN NULL; END $$`,
        )
        server.rows(`CREATE TRIGGER ${name} AFTER ${event} ON ${table} FOR EACH ROW ${when} EXECUTE FUNCTION ${name}()`)
      }
      trigger("INSERT", "", "NULL", row("NEW"))
      trigger("UPDATE", `WHEN (${differs("IS DISTINCT FROM")})`, row("OLD"), row("NEW"))
      trigger("DELETE", "", row("OLD"), "NULL")
    }
  }

  open({ life, random, kill, delayed }: DatabaseUser): UsedDatabase {
    const { conditions, scheduler, url } = this
    const fault = (text: string, isWriting: boolean) => {
      const found = serverFault(conditions, random, text, isWriting)
      if (found !== null) delayed(DELAY_MS)
      if (found?.kind === "REFUSED") conditions.count(`statements refused with ${found.code}`)
      return found
    }
    const killed = () => {
      conditions.count("kills at a statement")
      kill("at a statement")
    }
    const onLost = () => delayed(DELAY_MS)
    const engine = new PostgresEngine(
      { name: url, newest: url, ifLost: "", mend: "", remains: () => url },
      // Nobody migrates a simulated database, so its schema needs no lock.
      () => new Promise(() => {}),
      () => this.storeOf({ life, scheduler, random: random.stream("sessions"), fault, kill: killed, onLost }),
    )
    const { sleep, after } = life.machine
    const machine = { sleep, after: (ms: number, run: () => void) => after(Math.max(ms, LOOP_MS_MIN), run) }
    life.onDeath.add(() => {
      const { lostOutcomes, committed } = engine.store.counts
      conditions.count("commits without an answer", lostOutcomes)
      conditions.count("units committed", committed)
    })
    return { store: engine.store, workers: (log) => engine.workers({ machine, log }) }
  }

  /** Rows of transactions that are not committed come with a later call. */
  changes(): Change[] {
    const taken = "WITH taken AS (DELETE FROM simulated_change WHERE seq > 0 RETURNING *)"
    return this.server.rows<ChangeRow>(`${taken} SELECT what, old, new FROM taken ORDER BY seq`).map(changeOf)
  }

  rows<Row>(sql: string, ...values: Value[]): Row[] {
    return this.server.rows(withNumbers(sql), values)
  }

  close(): void {
    this.server.dropDatabase()
  }

  private storeOf(user: SessionUser): PostgresStore {
    return new PostgresStore(readTarget(this.url), { machine: user.life.machine, driver: this.driverOf(user) })
  }

  private driverOf(user: SessionUser): Driver {
    const { life, scheduler, random } = user
    return ({ onclose }) => {
      let session: SimulatedSession | null = null
      let isClosed = false
      const onLost = () => {
        user.onLost()
        onclose?.(closedError())
      }
      const open = () => {
        if (isClosed || !life.isAlive) throw closedError()
        if (this.conditions.time < this.conditions.awayUntil && user.scheduler === this.scheduler) throw refusedError()
        const made = this.sessionOf(user, onLost)
        session = made
        life.onDeath.add(() => made.close())
        return asDriverSession(made)
      }
      return {
        reserve: () =>
          new Promise((resolve, reject) => {
            scheduler.after(latencyOf(random), "a session begins", null, () => {
              try {
                resolve(open())
              } catch (error) {
                reject(error)
              }
            })
          }),
        close: async () => {
          isClosed = true
          session?.close()
        },
      }
    }
  }

  private sessionOf(user: SessionUser, onLost: () => void) {
    const { life, scheduler, random, fault, kill } = user
    return new SimulatedSession({
      ...{ server: this.server, scheduler, owner: life, fault, kill, onLost },
      latency: () => latencyOf(random),
      // The server is on the machine of the processes.
      now: () => life.machine.now(),
      committed: () => this.conditions.committed(),
      count: (what) => this.conditions.count(what),
    })
  }
}

/** Virtual ms. Now and then a message waits. */
function latencyOf(random: Random): number {
  return random.chance(0.003) ? 20 + random.fraction() * 300 : 0.1 + random.fraction() ** 3 * 3
}

function asDriverSession(session: SimulatedSession): Session {
  const query = (text: string, parameters: readonly unknown[]) => ({
    values: () => ({ execute: () => session.send({ text, parameters }) }),
  })
  const template = ([text = ""]: TemplateStringsArray) => query(text, [])
  return Object.assign(template, { unsafe: query })
}

function refusedError(): Error {
  const names = { code: "ERR_POSTGRES_CONNECTION_REFUSED" }
  return driverError("the server is not reached", names)
}
