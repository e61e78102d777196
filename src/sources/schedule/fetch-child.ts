/**
 * Runs one round of one source in a separate process. So publisher bytes that crash, hang or exhaust the parser affect nothing else, and
 * the memory is freed. If this process is killed, the child ends its round by its own limits: it writes the same data as `sources fetch`,
 * under the same locks.
 */
import { constants, setPriority } from "node:os"

export interface FetchProgram {
  /** Executable and leading arguments of this program. */
  readonly program: readonly string[]
  /** The flags of this program's start. */
  readonly flags: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly msMax?: number
}

export interface FetchEnd {
  /** Null if a signal ended it. */
  readonly exit: number | null
  readonly timedOut: boolean
  /** The end of its stderr, for the log line of a child that died. */
  readonly said: string
}

/** A round may transfer several large files, each with its own limits. A round that takes longer hangs. */
export const FETCH_MS_MAX = 2 * 60 * 60 * 1000
const SAID_BYTES_MAX = 2048

/** Resolves when the child has exited. Rejects if it cannot be started. `signal` kills it. */
export async function fetchInChild(
  sourceId: string,
  { program, flags, environment, msMax = FETCH_MS_MAX }: FetchProgram,
  signal: AbortSignal,
): Promise<FetchEnd> {
  const child = Bun.spawn([...program, "sources", "fetch", sourceId, "--json", ...flags], {
    env: { ...environment },
    stdin: "ignore",
    // The result is read from its row; the output is for a person who runs the command.
    stdout: "ignore",
    stderr: "pipe",
  })
  yieldTo(child.pid)
  let timedOut = false
  // A kill loses nothing: the next round continues from what this one left.
  const kill = () => child.kill("SIGKILL")
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, msMax)
  signal.addEventListener("abort", kill)
  if (signal.aborted) kill()
  try {
    const [said] = await Promise.all([tailOf(child.stderr), child.exited])
    return { exit: child.exitCode, timedOut, said }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", kill)
  }
}

/** Lowers the priority of the child: requests come first. */
function yieldTo(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch (error) {
    // The child has already exited.
    if (!(error instanceof Error && error.message.includes("ESRCH"))) throw error
  }
}

/** Reads the whole stream, so that the child never blocks on a full pipe, and keeps the end. */
async function tailOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  let tail = Buffer.alloc(0)
  for await (const chunk of stream) tail = Buffer.concat([tail, chunk]).subarray(-SAID_BYTES_MAX)
  return tail.toString("utf8")
}
