/** Many payments wait for a chain that stopped. After it continues they end as fast as its blocks come, without a restart. */
import { expect, test } from "bun:test"
import { atPace } from "../fixtures/long.ts"
import { inSimulation } from "./run.ts"
import type { Simulation } from "./simulation.ts"
import { warmUp } from "./warm-up.ts"

const PURCHASES = atPace({ brief: 20, short: 50, long: 1_000 })
const HALT_MS = 45_000
/** Blocks for all transactions, 12 more until the last is safe, and ten seconds between two checks. */
const DRAINED_MS = 40_000

test(`${PURCHASES} payments that wait for a halted chain are safe ${DRAINED_MS / 1000} s after the chain continues`, async () => {
  await warmUp()
  let waiting = 0
  let drainedAfterMs = Number.POSITIVE_INFINITY
  const options = {
    seed: "backlog",
    purchases: PURCHASES,
    processes: 2,
    faults: "none",
    nodes: 1,
    arrivalMeanMs: 20,
  } as const
  const result = inSimulation(options, (simulation) => {
    simulation.chain.start()
    for (const process of simulation.servers.all) simulation.servers.start(process)
    simulation.network.open()
    simulation.runUntil(() => simulation.servers.areOpen, 10_000)
    simulation.chain.isHalted = true
    simulation.runUntil(() => false, HALT_MS)
    waiting = settling(simulation)
    simulation.chain.isHalted = false
    const begun = simulation.scheduler.time
    const isDrained = simulation.runUntil(() => isDone(simulation, waiting), begun + 10 * DRAINED_MS)
    if (isDrained) drainedAfterMs = simulation.scheduler.time - begun
  })
  expect(result.violation).toBeNull()
  expect(waiting).toBeGreaterThan(PURCHASES / 2)
  expect(drainedAfterMs).toBeLessThan(DRAINED_MS)
}, 600_000)

function settling({ books }: Simulation): number {
  let count = 0
  for (const { state } of books.attempts.values()) if (state === "SETTLING") count++
  return count
}

/** Every payment that the chain included is delivered and safe. Most of the waiting payments were included; some wallets had no money. */
function isDone({ books }: Simulation, waiting: number): boolean {
  let safe = 0
  for (const { signed, moved } of books.accounts.values()) {
    if (moved === null) continue
    const attempt = books.attemptOf(signed.key)
    if (attempt?.state !== "SETTLED" || attempt.finality !== "SAFE") return false
    safe++
  }
  return safe > waiting * 0.7
}
