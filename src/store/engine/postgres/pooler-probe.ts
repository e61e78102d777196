/**
 * Finds a pooler in transaction mode between this process and the server. It gives each transaction any backend, but settings, prepared
 * statements and locks of a session belong to a backend.
 */
import type { ReservedSQL } from "bun"

type Connection = Pick<ReservedSQL, "unsafe">

/** What a connection says of its session at one time. */
export interface SessionState {
  readonly connection: "ONE" | "OTHER"
  readonly backend: string
  /** What the session has of the setting that each connection gives its own name. */
  readonly setting: string
}

const REFUSAL =
  "a pooler in transaction mode is between this service and PostgreSQL: connect to the server itself, or use session mode"

const STATE =
  "SELECT pg_backend_pid()::text AS backend, coalesce(current_setting('bizauth.connection', true), '') AS setting"

/**
 * Each connection in turn holds a transaction open while the other one asks for its backend. With one pool, either both get the backend
 * that was released last, or the one that asks gets another backend than before. There are two rounds, because other clients may use the pool.
 */
export async function sessionStates(one: Connection, other: Connection): Promise<SessionState[]> {
  const states: SessionState[] = []
  const connections = [
    ["ONE", one],
    ["OTHER", other],
  ] as const
  const note = async (at: 0 | 1) => {
    const [name, connection] = connections[at]
    const [row] = await connection.unsafe(STATE).simple()
    states.push({ connection: name, backend: row.backend, setting: row.setting })
  }
  for (const [name, connection] of connections) {
    await connection.unsafe(`SET bizauth.connection TO '${name}'`).simple()
  }
  await note(0)
  await note(1)
  // With a single backend behind both, the one that asks would wait for the other one's transaction.
  if (!haveOwnSessions(states)) return states
  for (const [holding, asking] of [
    [0, 1],
    [1, 0],
    [0, 1],
    [1, 0],
  ] as const) {
    await note(asking)
    await connections[holding][1].unsafe("BEGIN").simple()
    await note(holding)
    await note(asking)
    await connections[holding][1].unsafe("COMMIT").simple()
  }
  return states
}

/** Returns the reason for the operator, or null. */
export function poolerRefusal(states: readonly SessionState[]): string | null {
  return haveOwnSessions(states) ? null : REFUSAL
}

/** Whether each connection has a backend of its own, which stays the same and keeps its setting. */
function haveOwnSessions(states: readonly SessionState[]): boolean {
  const backends = Map.groupBy(states, ({ connection }) => connection)
  const ofEach = [...backends.values()].map((group) => new Set(group.map(({ backend }) => backend)))
  const all = new Set(states.map(({ backend }) => backend))
  return (
    states.every(({ connection, setting }) => setting === connection) &&
    ofEach.length === 2 &&
    ofEach.every((each) => each.size === 1) &&
    all.size === 2
  )
}
