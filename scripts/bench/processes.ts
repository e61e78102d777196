/** Child processes of the benchmark: pinned to a core if `taskset` exists, recognised by the line they print, stopped by this process. */
import { existsSync, readFileSync } from "node:fs"
import { PLAIN_ENVIRONMENT } from "../plain-environment.ts"

const taskset = Bun.which("taskset")

let isPinningWanted = true

/** The servers and this process share all cores from now on, as where an operator starts the program. */
export function leaveUnpinned(): void {
  isPinningWanted = false
}

/** Servers run on core 0 and this process on core 1, so that the client's work is not taken from the server. */
export function isPinned(): boolean {
  return isPinningWanted && taskset !== null && navigator.hardwareConcurrency > 1
}

const onServerCore = (command: readonly string[]): string[] =>
  isPinned() && taskset ? [taskset, "-c", "0", ...command] : [...command]

/** Moves this process, with all its threads and future children, to these cores. */
export function pinSelf(cores: "client" | "all"): void {
  const list = cores === "client" ? "1" : `0-${navigator.hardwareConcurrency - 1}`
  if (isPinned() && taskset) Bun.spawnSync([taskset, "-a", "-c", "-p", list, String(process.pid)])
}

const STARTED_MS = 60_000

export interface Server {
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a server that prints `listening URL`. `log` receives its stderr. Throws with the end of the log if it does not start. */
export function startServer(command: readonly string[], log: string): Promise<Server> {
  return startUnpinned(onServerCore(command), log)
}

/** Same, on any core that the system chooses, as an operator starts it. */
export async function startUnpinned(command: readonly string[], log: string): Promise<Server> {
  const child = Bun.spawn([...command], {
    env: PLAIN_ENVIRONMENT,
    stdin: "ignore",
    stdout: "pipe",
    stderr: Bun.file(log),
  })
  const timer = setTimeout(() => child.kill("SIGKILL"), STARTED_MS)
  let text = ""
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk)
    const origin = /^listening (http:\/\/\S+)\n/.exec(text)?.[1]
    if (origin === undefined) continue
    clearTimeout(timer)
    const stop = async () => {
      child.kill("SIGKILL")
      await child.exited
    }
    return { origin, pid: child.pid, stop }
  }
  clearTimeout(timer)
  throw new Error(`${command.join(" ")} did not start: ${(await Bun.file(log).text()).slice(-2000)}`)
}

/** Runs a command to its end and returns its stdout. Throws unless it exits with 0. */
export function runToEnd(command: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { env: PLAIN_ENVIRONMENT })
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stderr.toString()}`)
  return stdout.toString()
}

/** Ticks a second in which Linux counts processor time for programs. */
const TICKS = 100

/** Microseconds of processor time that a process has used. The load of other processes does not change it. */
export interface ProcessorTime {
  /** Of the thread that runs the program's JavaScript. */
  readonly main: number
  /** Of all threads, in steps of {@link TICKS}. */
  readonly all: number
}

/** Null without /proc, or where Linux counts no time for single threads. */
export function processorTime(pid: number): ProcessorTime | null {
  const [stat, schedstat] = [`/proc/${pid}/stat`, `/proc/${pid}/task/${pid}/schedstat`]
  if (!existsSync(stat) || !existsSync(schedstat)) return null
  // The name in parentheses may hold spaces. The third field follows it; user and system time are the fields 14 and 15.
  const fields = readFileSync(stat, "utf8").split(") ").at(-1)?.split(" ") ?? []
  // The first field is the thread's time on a processor in nanoseconds.
  const [nanoseconds] = readFileSync(schedstat, "utf8").split(" ")
  return {
    main: Number(nanoseconds) / 1000,
    all: ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / TICKS,
  }
}

/** Resident memory in MiB; null without /proc. */
export function residentMib(pid: number): number | null {
  return memoryMib(pid, "VmRSS")
}

/** The most that it was until now. Null without /proc, or once the process has ended. */
export function mostResidentMib(pid: number): number | null {
  return memoryMib(pid, "VmHWM")
}

function memoryMib(pid: number, name: string): number | null {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return null
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync(path, "utf8"))?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) / 1024
}
