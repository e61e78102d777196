/** The faults of a run, each at its rate, until they are stopped. */

import type { Address } from "viem"
import type { Lie } from "../sandbox/chain/parts/faulty-node.ts"
import { PROVIDER } from "./accounts.ts"
import { strikeAtRate } from "./disasters.ts"
import { FAULTS } from "./faults.ts"
import { healJobs, strikeJobs } from "./jobs/job-strikes.ts"
import type { NodeHealth } from "./link.ts"
import type { Random } from "./random.ts"
import type { Simulation } from "./simulation.ts"
import { EVERYBODY } from "./trace.ts"

const DAY_MS = 86_400_000
const LULL_MS = 15_000

/** Returns a function that stops them and repairs their effects. */
export function releaseDisasters(simulation: Simulation): () => void {
  let isOn = true
  const { scheduler, rates, healths, servers, chain } = simulation
  const processes = servers.all
  const around = { scheduler, random: simulation.random.stream("disasters"), isOn: () => isOn }
  const tell = (text: string) => simulation.note(text, [EVERYBODY])
  let isLull = false
  const strike = (kind: Parameters<typeof strikeAtRate>[0], act: (random: Random) => void, times = 1) =>
    strikeAtRate(kind, rates, around, (random) => !isLull && act(random), times)

  strike("kill", (random) => servers.kill(random.pick(processes), "from outside"), processes.length)
  // One in four lasts longer than a lease.
  strike(
    "freeze",
    (random) => {
      const ms = random.chance(0.25) ? 31_000 + random.fraction() * 40_000 : 200 + random.fraction() * 10_000
      servers.freeze(random.pick(processes), ms)
    },
    processes.length,
  )
  strike(
    "nodeOutage",
    (random) => {
      const health = random.pick(healths)
      health.outageUntil = scheduler.time + 300 + random.fraction() ** 2 * 20_000
      tell(`the ${health.name} node does not answer until ${Math.round(health.outageUntil)} ms`)
    },
    healths.length,
  )
  strike(
    "nodeLag",
    (random) => {
      const health = random.pick(healths)
      health.lagBlocks = random.between(1, 6)
      health.lagUntil = scheduler.time + 1_000 + random.fraction() ** 2 * 25_000
      tell(`the ${health.name} node is ${health.lagBlocks} blocks behind until ${Math.round(health.lagUntil)} ms`)
    },
    healths.length,
  )
  strike(
    "nodeLie",
    (random) => {
      // The two nodes are never wrong at the same time.
      if (healths.some(({ lieUntil }) => lieUntil > scheduler.time)) return
      const lies = simulation.jobSide ? rates.lies : rates.lies.filter((subject) => subject !== "job")
      lie(random.pick(healths), lies, random, scheduler.time, tell)
    },
    healths.length,
  )
  strike("clockJump", (random) => {
    const most = random.chance(rates.farJump) ? DAY_MS : 120_000
    simulation.clockOffset = Math.round((random.fraction() * 2 - 1) * most)
    tell(`the clock is set ${simulation.clockOffset} ms off`)
    scheduler.after(2_000 + random.fraction() ** 2 * 60_000, "the clock is set right", null, () => {
      simulation.clockOffset = 0
      simulation.clockRightAt = scheduler.time
      tell("the clock is set right")
      // An operator who corrects the clock often restarts the servers too.
      if (isOn && rates.kill > 0 && random.chance(0.4))
        for (const one of processes) servers.kill(one, "after the clock")
    })
  })
  strike("chainClock", (random) => chain.moveClock(random))
  strike("reorganization", (random) => chain.reorganize(random.between(1, 8), random, random.chance(0.3) ? 0.5 : 0))
  strike("foreignNonce", (random) => foreignNonce(simulation, servers.relayerKeys.present.address, random))
  strike("gasSpike", (random) => chain.spikeGas(random.between(3, 80), 3_000 + random.fraction() ** 2 * 60_000))
  strike("sourceStale", (random) => {
    servers.isStale = true
    tell("the sources are stale")
    scheduler.after(1_000 + random.fraction() ** 2 * 20_000, "the sources are fresh", null, () => {
      servers.isStale = false
      tell("the sources are fresh")
    })
  })
  strike("keyRotation", () => {
    servers.keyNumber++
    tell("another key signs")
  })
  strike("relayerKey", (random) => servers.relayerKeys.replace(random))
  strike("diskFull", (random) => {
    servers.diskFullUntil = scheduler.time + 500 + random.fraction() * 8_000
    tell(`the disk is full until ${Math.round(servers.diskFullUntil)} ms`)
    if (random.chance(0.5)) servers.awayUntil = scheduler.time + 50 + random.fraction() * 7_000
  })
  if (simulation.options.engine === "postgres") {
    strike("serverAway", (random) => {
      servers.awayUntil = scheduler.time + 50 + random.fraction() ** 2 * 12_000
      tell(`the server of the database is away until ${Math.round(servers.awayUntil)} ms`)
    })
  }
  strike("evictions", (random) => evict(simulation, random))
  const { jobSide } = simulation
  if (jobSide) {
    strikeJobs({ simulation, jobSide, tell, strike })
    strike("providerNonce", (random) => foreignNonce(simulation, PROVIDER, random))
  }
  strike("lull", (random) => {
    isLull = true
    const { rpc, hub, database, server } = FAULTS.none
    simulation.rates = { ...rates, rpc, hub, database, server }
    heal(simulation)
    tell("all faults end for a while")
    scheduler.after(LULL_MS * (1 + random.fraction()), "faults come again", null, () => {
      isLull = false
      if (isOn) simulation.rates = rates
    })
  })
  return () => {
    isOn = false
    simulation.rates = FAULTS.none
    heal(simulation)
    // Nothing is sold while the clocks differ.
    if (simulation.options.hasClockStop) chain.setClockRight()
    tell("all faults end")
  }
}

/** Ends the present faults of nodes, databases, hub and sources, and sets the machine's clock right. */
function heal(simulation: Simulation): void {
  const { scheduler, healths, servers, chain, jobSide } = simulation
  if (jobSide) healJobs(simulation, jobSide)
  for (const health of healths) {
    health.outageUntil = 0
    health.lagUntil = 0
    health.lieUntil = 0
  }
  chain.calmGas()
  if (simulation.clockOffset !== 0) simulation.clockRightAt = scheduler.time
  simulation.clockOffset = 0
  servers.isStale = false
  servers.diskFullUntil = 0
  servers.awayUntil = 0
}

/** Wrong responses are most frequent about one authorization, because most code depends on it. */
const TOLD: readonly (readonly [keyof Lie, (random: Random) => Lie])[] = [
  ["authorizationState", () => ({ authorizationState: "used" })],
  ["authorizationState", () => ({ authorizationState: "unused" })],
  ["authorizationState", () => ({ authorizationState: "inverted" })],
  ["transactionCount", (own) => ({ transactionCount: own.pick([-2, -1, 1, 2, 5]) })],
  ["usdcBalance", (own) => ({ usdcBalance: own.pick([0n, 10n ** 9n]) })],
  ["etherBalance", (own) => ({ etherBalance: own.pick([0n, 10n ** 20n]) })],
  ["olderBlocks", (own) => ({ olderBlocks: own.between(1, 10) })],
  ["headSeconds", (own) => ({ headSeconds: own.between(2, 60) })],
  ["job", (own) => ({ job: own.pick([0, 1, 2, 3, 4, 5, "unknown"] as const) })],
  ["sending", (own) => ({ sending: own.pick(["refuses_but_takes", "accepts_but_drops"]) })],
]

function lie(
  health: NodeHealth,
  subjects: readonly (keyof Lie)[],
  random: Random,
  time: number,
  tell: (text: string) => void,
): void {
  const [, told] = random.pick(TOLD.filter(([subject]) => subjects.includes(subject)))
  health.lie = told(random)
  health.lieUntil = time + 500 + random.fraction() * 8_000
  const shown = JSON.stringify(health.lie, (_, value) => (typeof value === "bigint" ? String(value) : value))
  tell(`the ${health.name} node lies until ${Math.round(health.lieUntil)} ms: ${shown}`)
}

/** The operator uses the key of relayer or provider elsewhere; the transaction is mined, or lost after a while. */
function foreignNonce(simulation: Simulation, account: Address, random: Random): void {
  const { model, held } = simulation.chain
  const whose = account === PROVIDER ? "the provider's key" : "the relayer's key"
  try {
    const hash = model.submit({
      from: account,
      to: account,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 10_000_000n,
    })
    const isLost = random.chance(0.5)
    simulation.note(`a foreign transaction of ${whose}, ${isLost ? "lost soon" : "to be mined"}: ${hash}`, [EVERYBODY])
    if (!isLost) return
    held.add(hash)
    simulation.scheduler.after(500 + random.fraction() * 4_000, "foreign transaction is lost", null, () => {
      // The same transaction may come again and be mined.
      held.delete(hash)
      if (model.drop(hash)) simulation.note(`the foreign transaction is lost: ${hash}`, [EVERYBODY])
    })
  } catch (error) {
    simulation.note(`a foreign transaction of ${whose} is refused: ${error}`, [EVERYBODY])
  }
}

function evict(simulation: Simulation, random: Random): void {
  const waiting = simulation.chain.model.waiting().sort((a, b) => (a.hash < b.hash ? -1 : 1))
  if (waiting.length === 0) return
  const { hash } = random.pick(waiting)
  simulation.chain.model.drop(hash)
  simulation.note(`the pool drops ${hash}`, [hash])
}
