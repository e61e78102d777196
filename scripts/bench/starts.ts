/** What a person waits for: the program's start to its first answer, and commands that run to their end. */
import { join } from "node:path"
import { residentMib, runToEnd, startUnpinned } from "./processes.ts"
import { milliseconds } from "./statistics.ts"

export interface ColdStarts {
  /** Milliseconds from the spawn to the first answer, one for each start. */
  readonly times: readonly number[]
  /** MiB of each process one second after its first answer; empty where there is no /proc. */
  readonly idleMib: readonly number[]
}

const SETTLED_MS = 1000

/** The answer asked for names the lists in use, so a start counts only when they are loaded. */
export async function coldStarts(command: readonly string[], folder: string, starts: number): Promise<ColdStarts> {
  const times: number[] = []
  const idleMib: number[] = []
  for (let n = 0; n < starts; n++) {
    const spawned = performance.now()
    const server = await startUnpinned(command, join(folder, "start.log"))
    const answer = await fetch(`${server.origin}/v1/us/federal/source-health`)
    const { sources } = (await answer.json()) as { sources: readonly { health: string }[] }
    times.push(performance.now() - spawned)
    if (n < 3) {
      await Bun.sleep(SETTLED_MS)
      const resident = residentMib(server.pid)
      if (resident !== null) idleMib.push(resident)
    }
    await server.stop()
    if (sources.length === 0 || sources.some(({ health }) => health !== "HEALTHY"))
      throw new Error("a start answered without the sample lists")
  }
  return { times, idleMib }
}

/** Milliseconds of each run of a command that must end with 0. */
export function wallTimes(command: readonly string[], runs: number): number[] {
  return Array.from({ length: runs }, () => milliseconds(() => runToEnd(command)))
}
