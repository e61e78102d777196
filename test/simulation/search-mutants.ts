/**
 * Searches each named mutant by its kept run and prints one line of JSON for it, see {@link Search}:
 *
 *     bun test/simulation/search-mutants.ts [--sound] SEED NAME…
 *
 * All mutants share this process: reloading the project's modules takes a fifth of the time of starting another process.
 * With `--sound` the code without the mutant must violate nothing in the same worlds, up to the one that found it.
 */
import { join } from "node:path"
import { type CaughtMutant, keptSimulations } from "./kept-run.ts"
import { CAUGHT_MUTANTS } from "./kept-runs.ts"
import { mutate } from "./mutate.ts"
import type { Violation } from "./violation.ts"

export interface Search {
  readonly mutant: string
  /** The violation that found it. */
  readonly violation: Violation | null
  /** Until it was found. */
  readonly purchases: number
  /** The violation of the code without the mutant; null without `--sound`. */
  readonly unsound: Violation | null
  readonly ms: number
}

const ROOT = join(import.meta.dir, "../..")
/** Changes a library, which is not loaded again. */
const LOADED_ONCE = join(import.meta.dir, "cheap-curve.ts")

/** Loads the simulator and the code under test, with the mutant if one is named. */
async function load(mutant: string | null): Promise<typeof import("./run.ts")> {
  for (const path of Object.keys(require.cache)) {
    const isOurs = path.startsWith(ROOT) && !path.includes("node_modules") && path !== LOADED_ONCE
    if (isOurs) delete require.cache[path]
  }
  mutate(mutant)
  const run = await import("./run.ts")
  const { warmUp } = await import("./warm-up.ts")
  await warmUp()
  return run
}

async function search(run: CaughtMutant, seed: string, isSoundWanted: boolean): Promise<Search> {
  const started = performance.now()
  const { mutant } = run
  const ms = () => Math.round(performance.now() - started)
  const { runSimulation } = await load(mutant)
  let purchases = 0
  for (const options of keptSimulations(run, seed)) {
    purchases += options.purchases + (options.jobs ?? 0)
    const { violation } = runSimulation(options)
    if (!violation) continue
    const unsound = isSoundWanted ? await firstViolation(run, seed, purchases) : null
    return { mutant, violation, purchases, unsound, ms: ms() }
  }
  return { mutant, violation: null, purchases, unsound: null, ms: ms() }
}

async function firstViolation(run: CaughtMutant, seed: string, purchases: number): Promise<Violation | null> {
  const { runSimulation } = await load(null)
  const simulations = purchases / run.size
  for (const options of keptSimulations({ ...run, count: simulations }, seed)) {
    const { violation } = runSimulation(options)
    if (violation) return violation
  }
  return null
}

const isSoundWanted = Bun.argv[2] === "--sound"
const [seed = "", ...names] = Bun.argv.slice(isSoundWanted ? 3 : 2)
for (const name of names) {
  const run = CAUGHT_MUTANTS.find(({ mutant }) => mutant === name)
  if (!run) throw new Error(`no kept run of a mutant ${name}`)
  console.log(JSON.stringify(await search(run, seed, isSoundWanted)))
}
// Elysia leaves a timer behind.
process.exit(0)
