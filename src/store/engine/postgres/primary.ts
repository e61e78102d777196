/** Work outside the store: opening, migrating. Its connections live as long as the work. */
import { type ReservedSQL, SQL } from "bun"
import { realMachine } from "../../../base/machine.ts"
import { DatabaseRefused } from "../store-error.ts"
import { DEADLINE_MS } from "./connection.ts"
import { connectionFailure } from "./connection-failure.ts"
import { Deadline } from "./deadline.ts"
import { type FaultKind, faultOf, PostgresFault } from "./postgres-fault.ts"
import { type Host, hostText, type PostgresTarget } from "./postgres-target.ts"
import { rejectionOf } from "./rejection.ts"
import { serverFacts, serverRefusal } from "./server-refusal.ts"
import { settingsOf } from "./session-settings.ts"

const CONNECT_SECONDS = 5
/** The pooler probe needs two at the same time. */
const CONNECTIONS_MAX = 2

/** For an answer that a server behind a cut network never gives. Rejects with PostgresFault. */
export function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Deadline(realMachine, DEADLINE_MS).require(answer)
}

/** Gives a connection of its own. */
export type Reserve = () => Promise<ReservedSQL>

/**
 * Runs `use` with the first host that is a primary we can use. Rejects with {@link DatabaseRefused} and the reasons of all hosts; none has the
 * password. An error of the server in `use` becomes one of the store.
 */
export async function onPrimary<T>(target: PostgresTarget, use: (reserve: Reserve) => Promise<T>): Promise<T> {
  const refusals: DatabaseRefused[] = []
  for (const host of target.hosts) {
    const client = new SQL({
      ...target.login(host),
      ...{ max: CONNECTIONS_MAX, connectionTimeout: CONNECT_SECONDS },
    })
    const reserve = async () => {
      const connection = await client.reserve()
      await inTime(connection.unsafe(settingsOf({ search_path: target.schema })).simple())
      return connection
    }
    try {
      const refusal = await refusalOf(client, target, host)
      if (refusal === null) return await use(reserve).catch(rethrown)
      refusals.push(refusal)
    } finally {
      await client.close({ timeout: 0 })
    }
  }
  const [first] = refusals
  const isSame = refusals.every(({ reason }) => reason === first?.reason)
  throw new DatabaseRefused(
    refusals.map(({ message }) => message).join("; "),
    first && isSame ? first.reason : "UNREACHABLE",
  )
}

async function refusalOf(client: SQL, target: PostgresTarget, host: Host): Promise<DatabaseRefused | null> {
  try {
    const connection = await client.reserve()
    const facts = await inTime(serverFacts(connection))
    const refusal = serverRefusal(facts)
    connection.release()
    if (refusal === null) return null
    return new DatabaseRefused(`PostgreSQL at ${hostText(host)}: ${refusal}`, facts.isInRecovery ? "STANDBY" : "OTHER")
  } catch (error) {
    const { message } = connectionFailure(error, host, target)
    return new DatabaseRefused(message, "UNREACHABLE")
  }
}

const FOR_THE_OPERATOR: readonly FaultKind[] = ["OTHER", "REFUSED", "SCHEMA_NEWER"]

/** The errors of the driver stay inside this folder. What the server refuses for good, such as a missing right, is for the operator. */
function rethrown(error: unknown): never {
  if (!(error instanceof SQL.PostgresError || error instanceof PostgresFault)) throw error
  const fault = faultOf(error)
  if (FOR_THE_OPERATOR.includes(fault.kind)) throw new DatabaseRefused(fault.message)
  throw rejectionOf(fault)
}
