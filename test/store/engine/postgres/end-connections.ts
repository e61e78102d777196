/** Ends connections of the stores under a test, one at random after the other, as a server or a network does. */
import { SQL } from "bun"
import { atLength } from "../../../fixtures/long.ts"

const PAUSE_MS = 12

/** Connections that a test of chaos ends. */
export const ENDED = atLength(100, 2_000)
/** How long it may take on a busy machine. */
export const ENDED_WITHIN_MS = atLength(60_000, 400_000)

export interface Ending {
  /** Callers go on with their work meanwhile. */
  readonly isOver: boolean
  /** Resolves with the number of ended connections. */
  readonly ended: Promise<number>
}

/** Goes on until it has ended {@link ENDED} connections, or too much time has passed. */
export function endConnections(url: string): Ending {
  let isOver = false
  const ended = endMany(url).finally(() => {
    isOver = true
  })
  return {
    get isOver() {
      return isOver
    },
    ended,
  }
}

async function endMany(url: string): Promise<number> {
  const client = new SQL(url, { max: 1 })
  const until = performance.now() + ENDED_WITHIN_MS
  let ended = 0
  while (ended < ENDED && performance.now() < until) {
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
