/**
 * The paid path under many small accidents: no order of faults, buyers and thieves breaks a promise, and what would break one is found.
 * The runs are processes of their own, two at a time, because a mutant is loaded in place of the code.
 */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { argumentsOf, CAUGHT_MUTANTS, MENDED_DEFECTS } from "./kept-runs.ts"
import { MUTANTS } from "./mutants.ts"
import { edited } from "./mutate.ts"
import { runWorld } from "./run.ts"
import { warmUp } from "./warm-up.ts"

const ROOT = join(import.meta.dir, "../..")
const IS_LONG = process.env["BIZAUTH_LONG"] === "1"
/** The slowest compiler of JavaScriptCore takes more time than it saves in runs this short. */
const ENV = { ...process.env, BUN_JSC_useFTLJIT: "0" }
const TIMEOUT_MS = IS_LONG ? 1_800_000 : 280_000
const FIXED = IS_LONG ? ["fixed", "fixed second", "fixed third", "fixed fourth"] : ["fixed"]
/** A run of this test alone; print it to repeat a failure. */
const CHANCE = String(process.env["BIZAUTH_SIMULATION_SEED"] ?? Math.floor(Math.random() * 1e9))

interface Output {
  readonly exitCode: number
  readonly text: string
}

const waiting: (() => void)[] = []
let free = 2

/** `scripts/simulate.ts` with these arguments, when one of two places is free. */
async function simulate(...args: readonly string[]): Promise<Output> {
  if (free === 0) await new Promise<void>((go) => void waiting.push(go))
  else free--
  try {
    const child = Bun.spawn([process.execPath, "scripts/simulate.ts", ...args], { cwd: ROOT, env: ENV, stderr: "pipe" })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { exitCode: await child.exited, text: `${out}${err}` }
  } finally {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
}

const heavy = (seed: string, purchases: number) =>
  simulate("--seed", seed, "--purchases", String(purchases), "--world", "100", "--faults", "heavy")

/** Everything begins with the first test that asks, so that two runs are always under way. */
let begun: Map<string, Promise<Output>> | null = null
function outputOf(name: string): Promise<Output> {
  begun ??= new Map([
    ...FIXED.map((seed) => [seed, heavy(seed, IS_LONG ? 5_000 : 1_000)] as const),
    ["random", heavy(CHANCE, IS_LONG ? 5_000 : 300)],
    ...MENDED_DEFECTS.map((run) => [run.found, simulate(...argumentsOf(run))] as const),
    ...CAUGHT_MUTANTS.map((run) => {
      return [run.mutant, simulate(...argumentsOf(run), "--mutant", run.mutant, "--brief")] as const
    }),
  ])
  const output = begun.get(name)
  if (!output) throw new Error(`no run is called ${name}`)
  return output
}

function expectSound({ exitCode, text }: Output): void {
  expect(text).not.toContain("VIOLATION")
  expect(exitCode, text).toBe(0)
}

test(
  "a run and its replay do the same, to the last byte",
  async () => {
    await warmUp()
    const options = { seed: "replayed", purchases: 30, processes: 2, faults: "heavy" } as const
    const [first, again] = [runWorld(options), runWorld(options)]
    expect(first.steps).toBeGreaterThan(1_000)
    expect(again.digest).toBe(first.digest)
    expect(runWorld({ ...options, seed: "another" }).digest).not.toBe(first.digest)
  },
  TIMEOUT_MS,
)

test.each(FIXED)(
  "heavy faults break no promise, seed %p",
  async (seed) => expectSound(await outputOf(seed)),
  TIMEOUT_MS,
)
test(
  `heavy faults break no promise, random seed "${CHANCE}"`,
  async () => expectSound(await outputOf("random")),
  TIMEOUT_MS,
)

describe("what was found once does not come back", () => {
  test.each(MENDED_DEFECTS)("$found", async ({ found }) => expectSound(await outputOf(found)), TIMEOUT_MS)
})

describe("the simulator finds a fault in the code", () => {
  test.each(CAUGHT_MUTANTS)(
    "$mutant",
    async ({ mutant }) => {
      const { exitCode, text } = await outputOf(mutant)
      expect(text).toContain("VIOLATION")
      expect(exitCode).toBe(1)
    },
    TIMEOUT_MS,
  )

  test("every mutant has a kept run of 300 purchases at most, and there are at least 30", () => {
    expect(CAUGHT_MUTANTS.map(({ mutant }) => mutant).sort()).toEqual(MUTANTS.map(({ name }) => name).sort())
    for (const { mutant, world, worlds } of CAUGHT_MUTANTS) expect(world * worlds, mutant).toBeLessThanOrEqual(300)
    expect(MUTANTS.length).toBeGreaterThanOrEqual(30)
  })

  test("a text that a mutant replaces is in its file once, or the mutant does not load", () => {
    expect(() => edited("one two", { from: "three", to: "" }, "a file")).toThrow("a file has 0 times")
    expect(() => edited("one one", { from: "one", to: "" }, "a file")).toThrow("a file has 2 times")
    expect(edited("one two", { from: "two", to: "three" }, "a file")).toBe("one three")
  })
})
