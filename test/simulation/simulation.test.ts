/**
 * The paid path under many small faults: no order of faults, buyers and thieves violates a promise, and the simulator finds code that
 * would.
 */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { atPace, howMany, LONG, SEED as SAMPLE_SEED, sample } from "../fixtures/long.ts"
import { argumentsOf, type KeptRun, keptSimulations } from "./kept-run.ts"
import { CAUGHT_MUTANTS, MENDED_DEFECTS } from "./kept-runs.ts"
import { MUTANTS } from "./mutants.ts"
import { edited, mutated } from "./mutate.ts"
import { runSimulation } from "./run.ts"
import { type Output, searchMutants, simulate } from "./runs-apart.ts"
import { warmUp } from "./warm-up.ts"

const TIMEOUT_MS = LONG ? 900_000 : 280_000
/** Another run for each commit. */
const CHANCE = String(process.env["BIZAUTH_SIMULATION_SEED"] ?? SAMPLE_SEED)
/** Of the kept runs. */
const SEED = "kept"
/** Mutants that this run searches. */
const SEARCHED = sample(CAUGHT_MUTANTS, atPace({ brief: 4, short: 10, long: CAUGHT_MUTANTS.length }))
const NAMES = SEARCHED.map(({ mutant }) => mutant)

/** How to repeat a run by hand. */
const commandOf = (run: KeptRun) => `bun scripts/simulate.ts ${argumentsOf(run, SEED).map(quoted).join(" ")}`
const quoted = (text: string) => (/^[\w.-]+$/.test(text) ? text : `'${text}'`)

const heavy = (seed: string, purchases: number) =>
  simulate("--seed", seed, "--purchases", String(purchases), "--world", "100", "--faults", "heavy")

const jobs = (seed: string, count: number) =>
  simulate("--seed", seed, "--jobs", String(count), "--world", "50", "--faults", "heavy")

/** Every second mutant, so that two processes share them. A long run also checks that the code without the mutant is sound. */
const half = (which: 0 | 1) =>
  searchMutants(...(LONG ? ["--sound"] : []), SEED, ...NAMES.filter((_, at) => at % 2 === which))

/** The first test that asks starts everything, the longest run first. */
function beginAll() {
  return {
    fixed: heavy("fixed", atPace({ brief: 100, short: 300, long: 2_000 })),
    random: heavy(CHANCE, atPace({ brief: 50, short: 150, long: 1_000 })),
    jobs: jobs("jobs", atPace({ brief: 35, short: 100, long: 600 })),
    randomJobs: jobs(`${CHANCE}-jobs`, atPace({ brief: 20, short: 50, long: 300 })),
    halves: [half(0), half(1)] as const,
  }
}
let begun: ReturnType<typeof beginAll> | null = null
const runs = () => {
  begun ??= beginAll()
  return begun
}

function expectSound({ exitCode, text }: Output): void {
  expect(text).not.toContain("VIOLATION")
  expect(exitCode, text).toBe(0)
}

test(
  "a run and its replay do the same, to the last byte",
  async () => {
    runs()
    await warmUp()
    const options = { seed: "replayed", purchases: 30, processes: 2, faults: "heavy" } as const
    const [first, again] = [runSimulation(options), runSimulation(options)]
    expect(first.steps).toBeGreaterThan(1_000)
    expect(again.digest).toBe(first.digest)
    expect(runSimulation({ ...options, seed: "another" }).digest).not.toBe(first.digest)
  },
  TIMEOUT_MS,
)

describe("a fixed defect does not return", () => {
  test.each(MENDED_DEFECTS)(
    "$found",
    async (run) => {
      await warmUp()
      for (const options of keptSimulations(run, SEED)) {
        const { violation } = runSimulation(options)
        expect(violation, commandOf(run)).toBeNull()
        // Starts the next of the other runs.
        await Bun.sleep(0)
      }
    },
    TIMEOUT_MS,
  )
})

test('heavy faults violate no promise, seed "fixed"', async () => expectSound(await runs().fixed), TIMEOUT_MS)
test(
  `heavy faults violate no promise, random seed "${CHANCE}"`,
  async () => expectSound(await runs().random),
  TIMEOUT_MS,
)

test(
  `jobs under heavy faults violate no promise, seed "jobs" and random seed "${CHANCE}-jobs"`,
  async () => {
    expectSound(await runs().jobs)
    expectSound(await runs().randomJobs)
  },
  TIMEOUT_MS,
)

describe(`the simulator finds a fault in the code (${howMany(CAUGHT_MUTANTS.length, SEARCHED.length)})`, () => {
  test.each(SEARCHED)(
    "$mutant",
    async (run) => {
      const command = `${commandOf(run)} --mutant ${run.mutant}`
      const [even, odd] = await Promise.all(runs().halves)
      const found = even.get(run.mutant) ?? odd.get(run.mutant)
      expect(found?.violation, command).toMatchObject({ kind: expect.any(String) })
      expect(found?.unsound, command).toBeNull()
    },
    TIMEOUT_MS,
  )

  test("every mutant has a kept run of 300 purchases at most, and there are at least 40", () => {
    expect(CAUGHT_MUTANTS.map(({ mutant }) => mutant).sort()).toEqual(MUTANTS.map(({ name }) => name).sort())
    for (const { mutant, size: simulation, count: simulations } of CAUGHT_MUTANTS)
      expect(simulation * simulations, mutant).toBeLessThanOrEqual(300)
    expect(MUTANTS.length).toBeGreaterThanOrEqual(40)
  })

  test.each(MUTANTS)("$name changes its file as it is now", (mutant) => {
    expect(mutated(mutant)).not.toBe(readFileSync(join(import.meta.dir, "../..", mutant.file), "utf8"))
  })

  test("the text that a mutant replaces is in its file exactly once, or the mutant does not load", () => {
    expect(() => edited("one two", { from: "three", to: "" }, "a file")).toThrow("a file has 0 times")
    expect(() => edited("one one", { from: "one", to: "" }, "a file")).toThrow("a file has 2 times")
    expect(edited("one two", { from: "two", to: "three" }, "a file")).toBe("one three")
  })
})
