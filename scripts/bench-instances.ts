/**
 * Whole purchases a second through a balancer, with one instance and with two on the same primary and synchronous standby: quotes are signed
 * before, and the chain, the servers, the instances and the buyers share this machine. Needs Debian's PostgreSQL 15.
 *
 *   bun scripts/bench-instances.ts [--purchases 300] [--rounds 3]
 *
 * Each round measures one, then two, so that both meet the same other load. Compare the columns and not the figures.
 */
import { parseArgs } from "node:util"
import { openPair } from "./drill/pair.ts"
import { Crowd, signSales } from "./drill/sales.ts"

const WARM_UP = 40

for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => process.exit(130))

const { values: options } = parseArgs({
  options: { purchases: { type: "string", default: "300" }, rounds: { type: "string", default: "3" } },
})

async function perSecond(instances: number, purchases: number): Promise<number> {
  const pair = await openPair({ instances })
  try {
    await new Crowd(pair.balancer.origin, await signSales(pair, WARM_UP)).all()
    const sales = await signSales(pair, purchases)
    const started = performance.now()
    const crowd = new Crowd(pair.balancer.origin, sales, { beginWithinMs: 0 })
    await crowd.all()
    return (1_000 * purchases) / (performance.now() - started)
  } finally {
    await pair.close()
  }
}

const shown = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(" ")

const found: Record<1 | 2, number[]> = { 1: [], 2: [] }
for (let round = 0; round < Number(options.rounds); round++) {
  for (const instances of [1, 2] as const) {
    const measured = await perSecond(instances, Number(options.purchases))
    found[instances].push(measured)
    console.log(`round ${round + 1}, instances ${instances}: ${measured.toFixed(1)}`)
  }
}
const ratios = found[1].map((one, round) => (found[2][round] ?? 0) / one)
console.log(`purchases a second: one instance ${shown(found[1])}; two ${shown(found[2])}`)
console.log(`two to one: ${ratios.map((ratio) => ratio.toFixed(2)).join(" ")}`)
process.exit(0)
