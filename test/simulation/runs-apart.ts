/** Simulations in their own processes, because a mutant replaces the loaded code. */
import { join } from "node:path"
import type { Search } from "./search-mutants.ts"

export interface Output {
  readonly exitCode: number
  readonly text: string
}

const ROOT = join(import.meta.dir, "../..")

const waiting: (() => void)[] = []
let free = 2

/** Runs a script when one of two places is free. */
async function run(script: string, args: readonly string[]): Promise<Output> {
  if (free === 0) await new Promise<void>((go) => void waiting.push(go))
  else free--
  try {
    const child = Bun.spawn([process.execPath, script, ...args], { cwd: ROOT, stderr: "pipe" })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { exitCode: await child.exited, text: `${out}${err}` }
  } finally {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
}

export const simulate = (...args: readonly string[]): Promise<Output> => run("scripts/simulate.ts", args)

/** The output of `search-mutants.ts` for each mutant. Throws when it does not end well. */
export async function searchMutants(...args: readonly string[]): Promise<ReadonlyMap<string, Search>> {
  const { exitCode, text } = await run("test/simulation/search-mutants.ts", args)
  if (exitCode !== 0) throw new Error(`the search ended with ${exitCode}: ${text}`)
  const searches = text
    .trim()
    .split("\n")
    .map((line): Search => JSON.parse(line))
  return new Map(searches.map((search) => [search.mutant, search]))
}
