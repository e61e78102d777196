/** Since when a process could do its work without a fault. Times are virtual ms; Infinity while it cannot. */
import type { ServerProcess } from "./server-process.ts"
import type { Simulation } from "./simulation.ts"

export const LEASE_SECONDS = 30

/** A lease of an attempt. `until`: RFC 3339, by the machine's clock when it was taken. */
export interface HeldLease {
  readonly owner: string | null
  readonly until: string | null
}

/** Work on an attempt with this lease: by its owner, or by any process after the lease. */
export function servedSince(simulation: Simulation, { owner, until }: HeldLease): number {
  const { all } = simulation.servers
  const byAny = Math.max(Math.min(...all.map(openSince)), endOfLease(simulation, owner, until))
  const byOwner = Math.min(...all.filter(({ life }) => life?.server?.owner === owner).map(openSince))
  return Math.max(soundSince(simulation), Math.min(byAny, byOwner))
}

/** Work of this process that needs no lease. */
export function worksSince(simulation: Simulation, process: ServerProcess): number {
  return Math.max(soundSince(simulation), openSince(process))
}

/** Since when clock, nodes and disk have no fault. */
function soundSince({ clockOffset, clockRightAt, chain, healths, servers }: Simulation): number {
  if (clockOffset !== 0 || chain.isHalted) return Number.POSITIVE_INFINITY
  const untrueUntil = healths.flatMap(({ outageUntil, lagUntil, lieUntil }) => [outageUntil, lagUntil, lieUntil])
  return Math.max(clockRightAt, servers.diskFullUntil, servers.awayUntil, ...untrueUntil)
}

/** Since when the process itself has no fault. */
function openSince({ life, openAt, thawedAt, faultUntil }: ServerProcess): number {
  return life?.isAlive && life.server !== null ? Math.max(openAt, thawedAt, faultUntil) : Number.POSITIVE_INFINITY
}

/** When another process may take the attempt. A lease that no right clock could give may be taken at once. */
function endOfLease(simulation: Simulation, owner: string | null, until: string | null): number {
  if (owner === null || until === null) return 0
  const left = Date.parse(until) - simulation.now()
  return left > 2 * LEASE_SECONDS * 1_000 ? 0 : simulation.scheduler.time + left
}
