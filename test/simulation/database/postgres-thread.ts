/**
 * The thread that holds the real sessions of PostgreSQL for {@link PostgresServer}, and answers each request when nothing moves any more: every
 * statement has its answer, or waits for a lock of another session.
 */
import { type MessagePort, workerData } from "node:worker_threads"
import { type ReservedSQL, SQL } from "bun"
import { tagged } from "../../../src/store/engine/postgres/driver.ts"
import { newPostgresDatabase, type TestDatabase } from "../../fixtures/postgres-schema.ts"

export interface Sent {
  readonly text: string
  readonly parameters: readonly unknown[]
}

export type Outcome =
  | { readonly rows: readonly (readonly unknown[])[]; readonly count: number; readonly command: string | null }
  /** Of the driver's error. */
  | { readonly message: string; readonly names: Readonly<Record<string, string>> }

export interface Answered {
  readonly session: number
  readonly outcome: Outcome
}

export type Request =
  | { readonly kind: "NEW_DATABASE" }
  | { readonly kind: "DROP_DATABASE" }
  | { readonly kind: "OPEN"; readonly session: number }
  | { readonly kind: "SEND"; readonly session: number; readonly statements: readonly Sent[] }
  | { readonly kind: "CANCEL"; readonly session: number }
  | { readonly kind: "END"; readonly session: number }
  | { readonly kind: "ROWS"; readonly text: string; readonly values: readonly unknown[] }

export interface Reply {
  readonly value: unknown
  readonly error: string | null
  /** In the order of each session's statements. */
  readonly answered: readonly Answered[]
}

export interface ThreadData {
  readonly port: MessagePort
  /** One number that grows with each reply. */
  readonly replies: SharedArrayBuffer
}

interface Session {
  readonly client: SQL
  readonly connection: ReservedSQL
  readonly pid: number
  open: number
}

/** A statement that has no answer after this long may wait for a lock; ms. */
const WAITING_AFTER_MS = 3
const NAMES = ["code", "errno", "constraint", "table", "column"] as const

const { port, replies } = workerData as ThreadData
const counter = new Int32Array(replies)
const sessions = new Map<number, Session>()
let database: TestDatabase | null = null
let own: SQL | null = null
let answered: Answered[] = []
let wake = () => {}

function admin(): SQL {
  if (own === null) throw new TypeError("no database is open")
  return own
}

function sessionOf(id: number): Session {
  const session = sessions.get(id)
  if (!session) throw new TypeError(`no session ${id}`)
  return session
}

async function serve(request: Request): Promise<unknown> {
  switch (request.kind) {
    case "NEW_DATABASE":
      database = await newPostgresDatabase()
      own = new SQL(database.url, { max: 1, connection: { enable_seqscan: "off" } })
      // The server looks for a circle of waiting sessions only after this time.
      await own.unsafe(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET deadlock_timeout = '5ms'`)
      return database.url
    case "DROP_DATABASE":
      await Promise.all([...sessions.values()].map(({ client }) => client.close({ timeout: 0 })))
      sessions.clear()
      await admin().close({ timeout: 0 })
      await database?.drop()
      return null
    case "OPEN":
      return openSession(request.session)
    case "SEND":
      for (const statement of request.statements) send(request.session, statement)
      return null
    case "CANCEL":
      await admin()`SELECT pg_cancel_backend(${sessionOf(request.session).pid}::int)`
      return null
    case "END":
      return end(request.session)
    case "ROWS":
      return [...(await admin().unsafe(request.text, [...request.values]))]
  }
}

async function openSession(id: number): Promise<null> {
  const client = new SQL(database?.url ?? "", { max: 1 })
  const connection = await client.reserve()
  const [{ pid }] = await connection`SELECT pg_backend_pid() AS pid`
  sessions.set(id, { client, connection, pid, open: 0 })
  return null
}

function send(id: number, { text, parameters }: Sent): void {
  const session = sessionOf(id)
  const { connection } = session
  const query = parameters.length === 0 ? connection(tagged(text)) : connection.unsafe(text, [...parameters])
  session.open++
  query
    .values()
    .execute()
    .then(outcomeOf, errorOf)
    .then((outcome) => {
      session.open--
      // What a session answers after its end reaches nobody.
      if (sessions.get(id) === session) answered.push({ session: id, outcome })
      wake()
    })
}

function outcomeOf(answer: unknown): Outcome {
  const { count, command } = answer as { readonly count: number; readonly command: string | null }
  return { rows: [...(answer as unknown[][])], count, command }
}

function errorOf(error: unknown): Outcome {
  const found = NAMES.flatMap((name) => {
    const value: unknown = Reflect.get(error as object, name)
    return typeof value === "string" ? [[name, value] as const] : []
  })
  return { message: error instanceof Error ? error.message : String(error), names: Object.fromEntries(found) }
}

/** Returns when the server has rolled its transaction back. */
async function end(id: number): Promise<null> {
  const { client, pid } = sessionOf(id)
  sessions.delete(id)
  await admin()`SELECT pg_terminate_backend(${pid}::int)`
  while ((await admin()`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}::int`).length > 0) await Bun.sleep(1)
  await client.close({ timeout: 0 })
  return null
}

/** Returns when each statement without an answer waits for a lock. */
async function settle(): Promise<void> {
  for (;;) {
    const busy = [...sessions.values()].filter(({ open }) => open > 0)
    if (busy.length === 0) return
    const before = answered.length
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    await Promise.race([promise, Bun.sleep(WAITING_AFTER_MS)])
    if (answered.length === before && (await areAllWaiting(busy))) return
  }
}

/** A circle of sessions that wait for each other ends soon. */
async function areAllWaiting(busy: readonly Session[]): Promise<boolean> {
  const before = answered.length
  const pids = `{${busy.map(({ pid }) => pid).join()}}`
  const found: { pid: number; blockers: number[] }[] =
    await admin()`SELECT pid, array_to_json(pg_blocking_pids(pid))::text AS blockers FROM unnest(${pids}::int[]) AS pid`
  const blockers = new Map(found.map((row) => [row.pid, JSON.parse(String(row.blockers)) as number[]]))
  if (answered.length > before) return false
  return busy.every(({ pid }) => (blockers.get(pid)?.length ?? 0) > 0 && !isInCircle(pid, blockers))
}

function isInCircle(pid: number, blockers: ReadonlyMap<number, readonly number[]>): boolean {
  const reached = new Set<number>()
  const open = [...(blockers.get(pid) ?? [])]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === pid) return true
    if (reached.has(next)) continue
    reached.add(next)
    open.push(...(blockers.get(next) ?? []))
  }
  return false
}

port.on("message", async (request: Request) => {
  let value: unknown = null
  let error: string | null = null
  try {
    value = await serve(request)
    if (request.kind !== "DROP_DATABASE") await settle()
  } catch (thrown) {
    error = JSON.stringify(errorOf(thrown))
  }
  port.postMessage({ value, error, answered } satisfies Reply)
  answered = []
  Atomics.add(counter, 0, 1)
  Atomics.notify(counter, 0)
})
