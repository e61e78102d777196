/**
 * A small file in the data directory that names the process that serves from it, where it listens, and a digest of each of its settings, so that `check`
 * can ask it and say which settings differ. A process that was killed leaves it; then its process is gone, and nobody reads it.
 */
import { hash } from "node:crypto"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { replaceFile } from "../base/durable-file.ts"
import { canonicalize } from "../core/canonical-json.ts"

/** Every setting as it was written. */
type SettingTexts = Readonly<Record<string, string>>

interface Running {
  readonly pid: number
  /** Of the process, in ticks since the boot, so that another process with the same number is not taken for it. Null where the system does not say. */
  readonly ticks: string | null
  /** RFC 3339. */
  readonly started_at: string
  /** `http://HOST:PORT` with the port that was bound. */
  readonly origin: string
  /** SHA-256 of name and text, because a text may hold a key of a node. */
  readonly settings: SettingTexts
}

const pathIn = (directory: string) => join(directory, "running.json")

/** Called when the process serves. `origin`: `http://HOST:PORT` with the port that was bound. */
export function recordRunning(directory: string, texts: SettingTexts, startedAt: string, origin: string): void {
  const { pid } = process
  const settings = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, digestOf(name, text)]))
  const running: Running = { pid, ticks: ticksOf(pid), started_at: startedAt, origin, settings }
  replaceFile(pathIn(directory), `${canonicalize(running)}\n`)
}

/** Called at the end. A newer process keeps its file. */
export function forgetRunning(directory: string): void {
  if (read(directory)?.pid === process.pid) rmSync(pathIn(directory), { force: true })
}

/** The process that serves now. */
interface Serving {
  readonly pid: number
  /** RFC 3339. */
  readonly since: string
  /** `http://HOST:PORT`; the host may be the name of every address, such as 0.0.0.0. */
  readonly origin: string
  /** Names of the settings that a start would have now with other values. */
  readonly differing: readonly string[]
}

/** Null if no process on this machine serves from the directory. `texts`: the settings that a start would have now. */
export function servingProcess(directory: string, texts: SettingTexts): Serving | null {
  const running = read(directory)
  if (running === null || !isAlive(running)) return null
  const { pid, started_at: since, origin, settings } = running
  const differing = Object.entries(texts).flatMap(([name, text]) =>
    settings[name] === digestOf(name, text) ? [] : [name],
  )
  return { pid, since, origin, differing }
}

function digestOf(name: string, text: string): string {
  return hash("sha256", `${name}\0${text}`, "hex")
}

/** Null without a file of this form, such as one of another release. */
function read(directory: string): Running | null {
  if (!existsSync(pathIn(directory))) return null
  try {
    const found: Running = JSON.parse(readFileSync(pathIn(directory), "utf8"))
    const isOfThisForm =
      Number.isSafeInteger(found.pid) && typeof found.origin === "string" && typeof found.settings === "object"
    return isOfThisForm ? found : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function isAlive({ pid, ticks }: Running): boolean {
  return isThere(pid) && ticksOf(pid) === ticks
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** proc(5): the start time is the 22nd field, and the second one may hold spaces. */
function ticksOf(pid: number): string | null {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return null
  const text = readFileSync(path, "utf8")
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null
}
