/** Runs a command of this program in a separate process. What crashes or takes long there affects no request here. */
import { constants, setPriority } from "node:os"

export interface ChildProgram {
  /** Executable and leading arguments of this program. */
  readonly program: readonly string[]
  /** The flags of this program's start. */
  readonly flags: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly msMax?: number
}

export interface ChildEnd {
  /** Null if a signal ended it. */
  readonly exit: number | null
  readonly timedOut: boolean
  /** The end of its stderr without lines of progress, for the log line of a child that failed. */
  readonly said: string
}

const SAID_BYTES_MAX = 2048
const PROGRESS_LINE = /^.*"event":"progress".*\n/gm

/** Resolves when the child has exited. Rejects if it cannot be started. `signal` kills it. */
export async function runChild(
  command: readonly string[],
  { program, flags, environment, msMax }: ChildProgram & { readonly msMax: number },
  signal: AbortSignal,
): Promise<ChildEnd> {
  const child = Bun.spawn([...program, ...command, ...flags], {
    env: { ...environment },
    stdin: "ignore",
    // The result is read from where the child stored it; the output is for a person who runs the command.
    stdout: "ignore",
    stderr: "pipe",
  })
  yieldTo(child.pid)
  let timedOut = false
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

/** Reads the whole stream, so that the child never blocks on a full pipe, and keeps the end of what is not progress. */
async function tailOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  let tail = Buffer.alloc(0)
  for await (const chunk of stream) tail = withoutProgress(Buffer.concat([tail, chunk])).subarray(-SAID_BYTES_MAX)
  return tail.toString("utf8")
}

/** A line of progress that is not whole yet stays until the next chunk. */
function withoutProgress(lines: Buffer): Buffer<ArrayBuffer> {
  // As Latin-1 each byte is one character, so a character of several bytes may be cut at the end.
  return Buffer.from(lines.toString("latin1").replaceAll(PROGRESS_LINE, ""), "latin1")
}
