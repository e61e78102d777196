/** Measures the times that a person waits: from the program's start to its first answer, and for commands that run to their end. */
import { join } from "node:path"
import { mainThreadMs, residentMib, runToEnd, startUnpinned } from "./processes.ts"
import { milliseconds } from "./statistics.ts"

export interface ColdStarts {
  /** Milliseconds from the spawn to the first answer, one for each start. */
  readonly times: readonly number[]
  /** Milliseconds that the main thread of each had run at its first answer: the load of the machine changes it less. Empty without /proc. */
  readonly busy: readonly number[]
  /** MiB of each process one second after its first answer; empty without /proc. */
  readonly idleMib: readonly number[]
}

const SETTLED_MS = 1000
/** Number of starts of each command that also measure memory. */
const SETTLED_STARTS = 3

export async function coldStarts(command: readonly string[], folder: string, starts: number): Promise<ColdStarts> {
  const [one] = await interleavedStarts([command], { folder, starts, hasLists: true })
  if (!one) throw new TypeError("a command has a result")
  return one
}

interface StartOptions {
  readonly folder: string
  readonly starts: number
  /** The data directories have all lists. */
  readonly hasLists: boolean
}

/**
 * Starts each command once, then each again in the other order, so that a slow phase of the machine affects all of them. Returns one result
 * for each command.
 */
export async function interleavedStarts(
  commands: readonly (readonly string[])[],
  { folder, starts, hasLists }: StartOptions,
): Promise<readonly ColdStarts[]> {
  const results = commands.map((command) => ({
    command,
    times: [] as number[],
    busy: [] as number[],
    idleMib: [] as number[],
  }))
  for (let n = 0; n < starts; n++)
    for (const { command, times, busy, idleMib } of n % 2 === 0 ? results : results.toReversed()) {
      const { time, ran, resident, isLoaded } = await start(command, folder, n < SETTLED_STARTS)
      if (isLoaded !== hasLists) throw new Error(`a start answered ${hasLists ? "without the" : "with"} lists`)
      times.push(time)
      if (ran !== null) busy.push(ran)
      if (resident !== null) idleMib.push(resident)
    }
  return results
}

/** The requested answer names the lists in use, so a start counts only when they are loaded, whatever their age. */
async function start(command: readonly string[], folder: string, settles: boolean) {
  const spawned = performance.now()
  const server = await startUnpinned(command, join(folder, "start.log"))
  const answer = await fetch(`${server.origin}/v1/us/federal/source-health`)
  const { sources } = (await answer.json()) as { sources: readonly { health: string }[] }
  const time = performance.now() - spawned
  const ran = mainThreadMs(server.pid)
  if (settles) await Bun.sleep(SETTLED_MS)
  const resident = settles ? residentMib(server.pid) : null
  await server.stop()
  return {
    time,
    ran,
    resident,
    isLoaded: sources.length > 0 && sources.every(({ health }) => health !== "UNAVAILABLE"),
  }
}

/** Milliseconds of each run of a command that must exit with 0. */
export function wallTimes(command: readonly string[], runs: number): number[] {
  return Array.from({ length: runs }, () => milliseconds(() => runToEnd(command)))
}
