/** Ends connections of the stores under a test, one at random after the other, as a server or a network does. */
import { SQL } from "bun"

const PAUSE_MS = 12

/** Goes on until this instant of the monotonic clock. Returns how many it ended. */
export async function endConnections(url: string, until: number): Promise<number> {
  const client = new SQL(url, { max: 1 })
  let ended = 0
  while (performance.now() < until) {
    const rows = await client`
      select pg_terminate_backend(pid) from (
        select pid from pg_stat_activity where application_name = 'bizauth' and datname = current_database()
        order by random() limit 1
      ) as drawn`
    ended += rows.length
    await Bun.sleep(PAUSE_MS)
  }
  await client.close()
  return ended
}
