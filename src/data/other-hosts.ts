/** A database file is for one machine. The rows of the processes that serve say whether another one uses it too. */
import { hostname } from "node:os"
import type { Unit } from "../store/engine/unit.ts"
import { isAlive, listInstances } from "../store/instances.ts"

/**
 * Why the file is in danger, as one sentence, or null. `now`: milliseconds since the epoch. A process that was killed on a host that has another
 * name now counts until its row is old.
 */
export function* otherHostsNotice(directory: string, now: number, here: string = hostname()): Unit<string | null> {
  const alive = (yield* listInstances()).filter((one) => isAlive(one, now))
  const hosts = [...new Set(alive.map(({ host }) => host))].filter((host) => host !== here)
  if (hosts.length === 0) return null
  return `another host serves from ${directory} too (${hosts.join(", ")}): SQLite's locks do not keep two machines apart, and they can spoil the database`
}
