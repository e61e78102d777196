/** Measures the times that a person waits: from the program's start to its first answer, and for commands that run to their end. */
import { join } from "node:path"
import { residentMib, runToEnd, startUnpinned } from "./processes.ts"
import { milliseconds } from "./statistics.ts"

export interface ColdStarts {
  /** Milliseconds from the spawn to the first answer, one for each start. */
  readonly times: readonly number[]
  /** MiB of each process one second after its first answer; empty without /proc. */
  readonly idleMib: readonly number[]
}

const SETTLED_MS = 1000
/** Number of starts of each command that also measure memory. */
const SETTLED_STARTS = 3

interface Starts {
  /** Of the log. */
  readonly folder: string
  /** Of each command. */
  readonly starts: number
  /** Whether lists are imported. Default true. */
  readonly hasLists?: boolean
}

export async function coldStarts(command: readonly string[], options: Starts): Promise<ColdStarts> {
  const [one] = await interleavedStarts([command], options)
  if (!one) throw new TypeError("a command has a result")
  return one
}

/**
 * Starts each command once, then each again, so that a slow phase of the machine affects all of them. Returns one result for each command.
 */
export async function interleavedStarts(
  commands: readonly (readonly string[])[],
  { folder, starts, hasLists = true }: Starts,
): Promise<readonly ColdStarts[]> {
  const results = commands.map((command) => ({ command, times: [] as number[], idleMib: [] as number[] }))
  for (let n = 0; n < starts; n++)
    for (const { command, times, idleMib } of results) {
      const { time, resident, isHealthy } = await start(command, folder, n < SETTLED_STARTS)
      if (isHealthy !== hasLists)
        throw new Error(hasLists ? "a start answered without the lists" : "a list was imported")
      times.push(time)
      if (resident !== null) idleMib.push(resident)
    }
  return results
}

/** The requested answer names the lists in use, so it tells whether they are loaded. */
async function start(command: readonly string[], folder: string, settles: boolean) {
  const spawned = performance.now()
  const server = await startUnpinned(command, join(folder, "start.log"))
  const answer = await fetch(`${server.origin}/v1/us/federal/source-health`)
  const { sources } = (await answer.json()) as { sources: readonly { health: string }[] }
  const time = performance.now() - spawned
  if (settles) await Bun.sleep(SETTLED_MS)
  const resident = settles ? residentMib(server.pid) : null
  await server.stop()
  const isHealthy = sources.length > 0 && sources.every(({ health }) => health === "HEALTHY")
  return { time, resident, isHealthy }
}

/** Milliseconds of each run of a command that must exit with 0. */
export function wallTimes(command: readonly string[], runs: number): number[] {
  return Array.from({ length: runs }, () => milliseconds(() => runToEnd(command)))
}
