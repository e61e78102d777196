/**
 * Sends generated requests to servers in this process, for every operation of `/v1/openapi.json`, and checks each answer against the
 * document.
 *
 *     bun scripts/fuzz.ts [--requests 100000] [--seed S]
 *
 * The seed determines the requests; a fault is printed with its request. It exits with 1 if there was a fault.
 */
import { parseArgs } from "node:util"
import { freeTarget } from "./fuzz/free-target.ts"
import { type FuzzTarget, faultText, runFuzz } from "./fuzz/run-fuzz.ts"
import { sellingTarget } from "./fuzz/selling-target.ts"

/** Requests of a run without `--requests`. */
const REQUESTS = 1e5

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: String(REQUESTS) },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
})
const seed = Number(values.seed)
const requests = Number(values.requests)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(requests) || requests < 1) {
  console.error("--requests and --seed are integers")
  process.exit(2)
}

const REPORT_EVERY = 10_000

async function runOn(name: string, target: FuzzTarget, count: number): Promise<number> {
  const startedAt = performance.now()
  const report = (done: number) => {
    if (done > 0 && done % REPORT_EVERY === 0) console.log(`${name}: ${done}`)
  }
  const result = await runFuzz(target, { requests: count, seed, report })
  const seconds = (performance.now() - startedAt) / 1_000
  const statuses = Object.entries(result.statuses).map(([status, number]) => `${status}: ${number}`)
  console.log(
    `${name}: ${result.requests} requests in ${seconds.toFixed(1)} s, slowest ${result.slowestMs.toFixed(0)} ms; ${statuses.join(", ")}`,
  )
  if (result.faults.length > 0) console.log(faultText(result, seed))
  return result.faults.length
}

console.log(`seed ${seed}`)
let faults = 0
const sold = Math.ceil(requests / 4)
{
  await using target = await freeTarget()
  faults += await runOn("without payments", target, requests - sold)
}
{
  await using target = await sellingTarget()
  faults += await runOn("selling", target, sold)
}
console.log(`${faults} faults`)
process.exit(faults > 0 ? 1 : 0)
