/** Statements of an administrator on one server of several. */
import { SQL } from "bun"
import { type PostgresServer, STANDBY } from "../../../fixtures/postgres.ts"
import { until } from "../../../fixtures/until.ts"

export async function rowsOf(
  { url }: PostgresServer,
  text: string,
  database = "postgres",
): Promise<Record<string, unknown>[]> {
  const client = new SQL(url.replace(/postgres$/, database), { max: 1 })
  try {
    return await client.unsafe(text)
  } finally {
    await client.close({ timeout: 0 })
  }
}

/** From now on the primary answers a COMMIT after the standby has stored it. */
export async function waitForStandby(primary: PostgresServer): Promise<void> {
  await rowsOf(primary, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`)
  await rowsOf(primary, "SELECT pg_reload_conf()")
  await until("the standby is synchronous", async () => {
    return (await rowsOf(primary, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1
  })
}
