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
  /** Names of the settings whose files the service manager hands over: the process knows them under another path than the configuration file. */
  readonly handed_over?: readonly string[]
  /** Where reviewers open the desk; null if it is off. */
  readonly desk?: string | null
}

const pathIn = (directory: string) => join(directory, "running.json")

interface Started {
  readonly texts: SettingTexts
  /** RFC 3339. */
  readonly at: string
  /** `http://HOST:PORT` with the port that was bound. */
  readonly origin: string
  /** Names of the settings whose files the service manager hands over. */
  readonly handedOver: readonly string[]
  /** Where reviewers open the desk; null if it is off. */
  readonly desk: string | null
}

/** Called when the process serves. */
export function recordRunning(directory: string, { texts, at, origin, handedOver, desk }: Started): void {
  const { pid } = process
  const settings = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, digestOf(name, text)]))
  const ofProcess = { pid, ticks: ticksOf(pid), started_at: at, origin }
  const running: Running = { ...ofProcess, settings, handed_over: handedOver, desk }
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
  /** Where reviewers open the desk; null if it is off. */
  readonly desk: string | null
  /** Names of the settings that a start would have now with other values. */
  readonly differing: readonly string[]
  /** Names of the settings that cannot be compared, because the service manager hands over their files. */
  readonly handedOver: readonly string[]
}

/** Null if no process on this machine serves from the directory. `texts`: the settings that a start would have now. */
export function servingProcess(directory: string, texts: SettingTexts): Serving | null {
  const running = read(directory)
  if (running === null || !isAlive(running)) return null
  const { pid, started_at: since, origin, desk = null, settings, handed_over: handedOver = [] } = running
  const differing = Object.entries(texts).flatMap(([name, text]) =>
    settings[name] === digestOf(name, text) || handedOver.includes(name) ? [] : [name],
  )
  return { pid, since, origin, desk, differing, handedOver }
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
