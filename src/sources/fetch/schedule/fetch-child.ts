/**
 * Runs one round of one source in a separate process. So publisher bytes that crash, hang or exhaust the parser affect nothing else, and
 * the memory is freed. If this process is killed, the child ends its round by its own limits: it writes the same data as `sources fetch`,
 * under the same locks. A kill loses nothing: the next round continues from what this one left.
 */
import { type ChildEnd, type ChildProgram, runChild } from "../../../base/child-program.ts"

export interface FetchEnd extends ChildEnd {
  /** Another process fetches this source, has just fetched it, or imports a source. The round changed nothing. */
  readonly isBusy: boolean
}

/** A round may transfer several large files, each with its own limits. A round that takes longer hangs. */
const FETCH_MS_MAX = 2 * 60 * 60 * 1000

/**
 * The event by which `sources fetch --json` names a busy source on stderr, with `source_id`. The exit code of a busy directory has other
 * causes, too.
 */
export const BUSY_EVENT = "source_busy"

/** In place of a time, for a publisher that nobody asked yet. */
export const NEVER = "never"

/** Resolves when the child has exited. Rejects if it cannot be started. `signal` kills it. */
export async function fetchInChild(
  { id, lastAttempt }: { readonly id: string; readonly lastAttempt: string | null },
  { msMax = FETCH_MS_MAX, ...program }: ChildProgram,
  signal: AbortSignal,
): Promise<FetchEnd> {
  const end = await runChild(
    ["sources", "fetch", id, "--json", `--last-attempt=${lastAttempt ?? NEVER}`],
    { ...program, msMax },
    signal,
  )
  return { ...end, isBusy: end.said.includes(`"event":"${BUSY_EVENT}","source_id":"${id}"`) }
}
