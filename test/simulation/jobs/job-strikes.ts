/** The faults of the job rail alone: the hub, and the administrators of the escrow contract. */
import type { strikeAtRate } from "../disasters.ts"
import type { Random } from "../random.ts"
import type { Simulation } from "../simulation.ts"
import type { JobSide } from "./job-side.ts"
import { HUB_LIES } from "./simulated-hub.ts"

export interface JobStrikes {
  readonly simulation: Simulation
  readonly jobSide: JobSide
  readonly tell: (text: string) => void
  readonly strike: (kind: Parameters<typeof strikeAtRate>[0], act: (random: Random) => void) => void
}

export function strikeJobs({ simulation, jobSide, tell, strike }: JobStrikes): void {
  const { scheduler, chain } = simulation
  const { health } = jobSide.hub
  strike("hubAway", (random) => {
    // One in eight lasts longer than most jobs.
    const ms = random.chance(0.12) ? 600_000 + random.fraction() * 7_200_000 : 500 + random.fraction() ** 2 * 120_000
    health.awayUntil = scheduler.time + ms
    tell(`the hub is away until ${Math.round(health.awayUntil)} ms`)
  })
  strike("hubLie", (random) => {
    health.lie = random.pick(HUB_LIES)
    health.lieUntil = scheduler.time + 1_000 + random.fraction() * 30_000
    tell(`the hub ${health.lie} until ${Math.round(health.lieUntil)} ms`)
  })
  strike("escrowPause", (random) => {
    chain.pauseEscrow(true)
    tell("the escrow is paused")
    scheduler.after(2_000 + random.fraction() ** 2 * 60_000, "the escrow goes on", null, () => {
      chain.pauseEscrow(false)
      tell("the escrow goes on")
    })
  })
}

export function healJobs({ chain }: Simulation, { hub }: JobSide): void {
  hub.health.awayUntil = 0
  hub.health.lieUntil = 0
  chain.pauseEscrow(false)
}
