/** Work outside the store: opening, migrating. Its connections live as long as the work. */
import { SQL } from "bun"
import { connectionFailure } from "./connection-failure.ts"
import type { Host, PostgresTarget } from "./postgres-target.ts"
import { serverFacts, serverRefusal } from "./server-refusal.ts"

const CONNECT_SECONDS = 5
/** The pooler probe needs two at the same time. */
const CONNECTIONS_MAX = 2

/** Runs `use` with the first host that is a primary we can use. Rejects with the reasons of all hosts; none has the password. */
export async function onPrimary<T>(target: PostgresTarget, use: (client: SQL) => Promise<T>): Promise<T> {
  const reasons: string[] = []
  for (const host of target.hosts) {
    const client = new SQL({
      ...target.login(host),
      ...{ max: CONNECTIONS_MAX, connectionTimeout: CONNECT_SECONDS },
      connection: { application_name: "bizauth", search_path: target.schema },
    })
    try {
      const refusal = await refusalOf(client, target, host)
      if (refusal === null) return await use(client)
      reasons.push(refusal)
    } finally {
      await client.close({ timeout: 0 })
    }
  }
  throw new Error(reasons.join("; "))
}

async function refusalOf(client: SQL, { user, database }: PostgresTarget, host: Host): Promise<string | null> {
  const { hostname, port } = host
  try {
    const connection = await client.reserve()
    const refusal = serverRefusal(await serverFacts(connection))
    connection.release()
    return refusal === null ? null : `PostgreSQL at ${hostname}:${port}: ${refusal}`
  } catch (error) {
    return connectionFailure(error, { host: hostname, port, database, user }).message
  }
}
