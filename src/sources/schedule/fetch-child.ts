/**
 * One round of one source in a process of its own: a publisher's bytes that crash, hang or exhaust their reader take nothing else with
 * them, and the memory is given back. Should this process be killed, the child ends its round by its own limits: it writes what any
 * `sources fetch` writes, under the same locks.
 */
import { constants, setPriority } from "node:os"

export interface FetchProgram {
  /** Executable and leading arguments of this very program. */
  readonly program: readonly string[]
  /** The flags it was started with. */
  readonly flags: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly msMax?: number
}

export interface FetchEnd {
  /** Null when a signal ended it. */
  readonly exit: number | null
  readonly timedOut: boolean
  /** The end of what it wrote to stderr, for the log of a child that died. */
  readonly said: string
}

/** A round may move several large files, each with its own limits; one that takes longer hangs. */
export const FETCH_MS_MAX = 2 * 60 * 60 * 1000
const SAID_BYTES_MAX = 2048

/** Resolves when the child is gone. Rejects when it cannot be started. `signal` kills it. */
export async function fetchInChild(
  sourceId: string,
  { program, flags, environment, msMax = FETCH_MS_MAX }: FetchProgram,
  signal: AbortSignal,
): Promise<FetchEnd> {
  const child = Bun.spawn([...program, "sources", "fetch", sourceId, "--json", ...flags], {
    env: { ...environment },
    stdin: "ignore",
    // The outcome is read from its row; what it prints is for whoever types the command.
    stdout: "ignore",
    stderr: "pipe",
  })
  yieldTo(child.pid)
  let timedOut = false
  // Nothing it does is lost by a kill: the next round begins with what it left.
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

/** Answers come first: the reader of a list takes the processor time they leave. */
function yieldTo(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch (error) {
    // Gone already: then there is nothing left to yield.
    if (!(error instanceof Error && error.message.includes("ESRCH"))) throw error
  }
}

/** Reads all, so that the child never waits for us, and keeps the end. */
async function tailOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  let tail = Buffer.alloc(0)
  for await (const chunk of stream) tail = Buffer.concat([tail, chunk]).subarray(-SAID_BYTES_MAX)
  return tail.toString("utf8")
}
