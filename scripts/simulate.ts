/**
 * Searches the paid path for a broken promise: `bun scripts/simulate.ts [--seed N] [--purchases N] [--processes 1..3]
 * [--faults none|light|heavy] [--replay SEED] [--mutant NAME] [--nodes 1|2] [--mute KIND,…]
 * [--rates JSON]`. Everything is drawn from the seed: the same
 * seed does the same again. A run of many purchases is cut into worlds of at most 500, each with a seed of its own, which `--replay` takes.
 */
import { parseArgs } from "node:util"
import type { FaultLevel } from "../test/simulation/faults.ts"
import { mutate } from "../test/simulation/mutate.ts"
import type { RunOptions } from "../test/simulation/run.ts"
import { VIOLATION_KINDS, type ViolationKind } from "../test/simulation/violation.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    purchases: { type: "string", default: "1000" },
    processes: { type: "string" },
    faults: { type: "string", default: "heavy" },
    replay: { type: "string" },
    nodes: { type: "string" },
    mute: { type: "string", default: "" },
    rates: { type: "string", default: "{}" },
    about: { type: "string" },
    story: { type: "string", default: "200" },
    world: { type: "string", default: "500" },
    keep: { type: "boolean", default: false },
    mutant: { type: "string" },
    until: { type: "string", default: "" },
  },
})
if (values.mutant !== undefined) mutate(values.mutant)
// After the mutation: what these import is what is simulated.
const { FAULTS } = await import("../test/simulation/faults.ts")
const { runWorld } = await import("../test/simulation/run.ts")
const { shortest } = await import("../test/simulation/shortest.ts")
const { warmUp } = await import("../test/simulation/warm-up.ts")

const PURCHASES = Number(values.purchases)
const faults = values.faults as FaultLevel
if (!(faults in FAULTS)) throw new Error("--faults is none, light or heavy")
const muted = new Set(
  values.mute.split(",").filter((kind): kind is ViolationKind => VIOLATION_KINDS.includes(kind as ViolationKind)),
)
const nodes = values.nodes === undefined ? undefined : values.nodes === "1" ? 1 : 2

await warmUp()
const started = performance.now()
let done = 0
let round = 0
while (done < PURCHASES) {
  const seed = values.replay ?? `${values.seed}.${round}`
  const processes = values.processes === undefined ? (round % 3) + 1 : Number(values.processes)
  const purchases = Math.min(Number(values.world), PURCHASES - done)
  const isTold = values.replay !== undefined
  const at = performance.now()
  const cpu = process.cpuUsage()
  const options: RunOptions = {
    seed,
    purchases,
    processes,
    faults,
    nodes,
    rates: JSON.parse(values.rates),
    muted,
    isTold,
    ...(values.about && { about: values.about.split(",") }),
  }
  const result = runWorld(options)
  const told = Object.entries(result.told).map(([how, count]) => `${count} ${how}`)
  const overlooked = [...result.overlooked].map(([kind, count]) => `${count} ${kind}`)
  const { user } = process.cpuUsage(cpu)
  console.log(
    `seed ${seed}, ${purchases} purchases, ${processes} processes: ${told.join(", ")}; ${result.steps} steps, ${Math.round(result.time / 1000)} virtual s, ${Math.round(performance.now() - at)} ms (${Math.round(user / 1000)} of a core), digest ${result.digest.slice(0, 16)}${overlooked.length > 0 ? `, overlooked ${overlooked.join(", ")}` : ""}`,
  )
  const { violation } = result
  if (violation) console.log(`VIOLATION ${violation.kind}: ${violation.text} (${Math.round(violation.at)} ms)`)
  if (isTold) {
    console.log(result.story.join("\n"))
    break
  }
  if (violation && !values.keep) {
    const { purchases: least, result: short } = shortest(options, result)
    console.log(`shortest prefix: --replay ${seed} --purchases ${least} --processes ${processes} --faults ${faults}`)
    console.log(short.story.slice(-Number(values.story)).join("\n"))
  }
  if (violation && (!values.keep || values.until.split(",").includes(violation.kind))) process.exit(1)
  done += purchases
  round++
}
console.log(`${done} purchases in ${Math.round((performance.now() - started) / 1000)} s`)
process.exit(0)
