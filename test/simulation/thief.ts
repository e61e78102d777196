/** Anyone who sees an authorization can bring it to the chain, present it again, or present it for another body. */
import type { Signed } from "./buyer.ts"
import { bodyOf } from "./purchase.ts"
import type { Simulation } from "./simulation.ts"

/** A thief sees some authorizations; the seed decides which, when, and the thief's action. */
export function beRobbed(simulation: Simulation, signed: Signed): void {
  const { purchase, nonce } = signed
  const random = purchase.random.stream(`thief ${nonce}`)
  if (!random.chance(simulation.rates.robbery)) return
  const kind = random.fraction()
  const afterMs = random.chance(0.3) ? 0 : random.fraction() * (random.chance(0.5) ? 2_000 : 60_000)
  simulation.scheduler.after(afterMs, "thief", null, () => {
    if (kind < 0.6) return simulation.network.steal(signed)
    const isForeign = kind < 0.9
    const body = bodyOf(purchase, simulation.now(), isForeign)
    const process = random.pick(simulation.servers.all)
    // The same content written at another time has other bytes, so it is another body as well.
    void simulation.network.postTo(process, { purchase, path: purchase.path, body, signed, isForeign: true })
  })
}

/** The payer or a thief may still bring a released authorization to the chain, at once or much later. */
export function bringGivenUp(simulation: Simulation, signed: Signed): void {
  const random = signed.purchase.random.stream(`given up ${signed.nonce} ${simulation.scheduler.steps}`)
  if (!random.chance(simulation.rates.robbery)) return
  simulation.scheduler.after(random.fraction() ** 2 * 90_000, "thief", null, () => simulation.network.steal(signed))
}

/**
 * An adversary sees every signature that a transaction of the service made public. It submits it at once, in the first block of its window,
 * at any time or just before its end; at once may be too early.
 */
export function submitPublic(simulation: Simulation, signed: Signed): void {
  const random = signed.purchase.random.stream(`public ${signed.nonce}`)
  if (!random.chance(simulation.rates.adversary)) return
  const head = simulation.chain.model.head.timestamp
  const leftMs = Math.max(0, signed.validBefore - head) * 1000
  const beginsMs = Math.max(0, signed.validAfter - head) * 1000
  const moments = [0, beginsMs + random.fraction() * 2_000, random.fraction() * leftMs, leftMs - 3_000]
  const first = random.pick(moments)
  for (const afterMs of random.chance(0.3) ? [first, random.pick(moments)] : [first]) {
    simulation.scheduler.after(afterMs, "adversary", null, () => simulation.network.steal(signed))
  }
}
