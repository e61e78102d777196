/** A database that is set back to an earlier state under the processes that use it, as an asynchronous standby that takes over is. */
import { SQL } from "bun"

export interface EarlierState {
  /** Puts the earlier state into the place of the newest one, and ends all connections. */
  takeOver(): Promise<void>
  /** Puts the newest one back. */
  giveBack(): Promise<void>
  /** Removes the one that is not in place. */
  drop(): Promise<void>
}

/** The state of now. Ends all connections, because the server copies only a database that nobody uses. */
export async function keepState(url: string): Promise<EarlierState> {
  const place = new URL(url)
  const name = place.pathname.slice(1)
  place.pathname = "/postgres"
  const run = async (...texts: string[]) => {
    const sql = new SQL(place.href, { max: 1 })
    try {
      // Nobody may connect between the end of the connections and the change.
      await sql.unsafe(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`)
      await sql.unsafe(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`)
      for (const text of texts) await sql.unsafe(text)
      await sql.unsafe(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`)
    } finally {
      await sql.close({ timeout: 0 })
    }
  }
  const [earlier, newest] = [`${name}_earlier`, `${name}_newest`]
  await run(`CREATE DATABASE ${earlier} TEMPLATE ${name} STRATEGY FILE_COPY`)
  let aside = earlier
  return {
    takeOver: async () => {
      await run(`ALTER DATABASE ${name} RENAME TO ${newest}`, `ALTER DATABASE ${earlier} RENAME TO ${name}`)
      aside = newest
    },
    giveBack: async () => {
      await run(`ALTER DATABASE ${name} RENAME TO ${earlier}`, `ALTER DATABASE ${newest} RENAME TO ${name}`)
      aside = earlier
    },
    drop: async () => {
      const sql = new SQL(place.href, { max: 1 })
      await sql.unsafe(`DROP DATABASE ${aside} WITH (FORCE)`)
      await sql.close({ timeout: 0 })
    },
  }
}
