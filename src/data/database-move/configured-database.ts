/** The line `database_file` of a configuration file, which decides where the database is. Every other line stays as it is. */
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { ConfigError } from "../../base/config.ts"
import { renameDurably, writeNewFile } from "../../base/durable-file.ts"

/** An assignment, or one that is a comment. */
const LINE = /^[ \t]*(#?)[ \t]*database_file[ \t]*=[^\n]*$/gm

/** The beginning of the first table. */
const TABLE = /^[ \t]*\[/m

/** The text with `database_file` naming this file, or without it. Throws {@link ConfigError} where the text cannot be changed safely. */
export function withDatabaseFile(text: string, databaseFile: string | null): string {
  const lines = [...text.matchAll(LINE)]
  const table = TABLE.exec(text)?.index ?? text.length
  const line = lines.find(([, comment]) => comment === "") ?? lines.find(({ index }) => index < table)
  const value = databaseFile === null ? '# database_file = ""' : `database_file = ${JSON.stringify(databaseFile)}`
  // Above the first table, because a line below it would belong to the table.
  const changed = line
    ? `${text.slice(0, line.index)}${value}${text.slice(line.index + line[0].length)}`
    : databaseFile === null
      ? text
      : `${value}\n${text}`
  if (isAsMeant(text, changed, databaseFile)) return changed
  throw new ConfigError("database_file is written in a form that this command does not change: write it on one line")
}

function isAsMeant(before: string, after: string, databaseFile: string | null): boolean {
  const { database_file: _, ...others } = parsed(before) ?? {}
  const { database_file: found, ...kept } = parsed(after) ?? { database_file: 0 }
  return (found ?? null) === databaseFile && JSON.stringify(kept) === JSON.stringify(others)
}

/** Null for a text that is no TOML, such as one that names a setting twice. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}

/** Throws {@link ConfigError} if {@link configureDatabase} would not work. Changes nothing. */
export function requireConfigurable(path: string, databaseFile: string | null): void {
  const place = existsSync(path) ? realpathSync(path) : path
  withDatabaseFile(textOf(place), databaseFile)
  try {
    accessSync(dirname(place), constants.W_OK | constants.X_OK)
    const found = statSync(place, { throwIfNoEntry: false })
    if (found && !mayGive(found)) throw new Error("another owner")
  } catch {
    throw new ConfigError(
      `${place} must name the new database at the end of the move, and this user may not replace it: run the move as a user who may`,
    )
  }
}

/** Replaces the file durably, and keeps its mode and owner. */
export function configureDatabase(path: string, databaseFile: string | null): void {
  const place = existsSync(path) ? realpathSync(path) : path
  removeRemains(place)
  const text = textOf(place)
  const changed = withDatabaseFile(text, databaseFile)
  if (changed === text) return
  const partial = `${place}.partial-${process.pid}`
  writeNewFile(partial, [changed])
  keepOwner(place, partial)
  renameDurably(partial, place)
}

/** Of moves that were killed. */
function removeRemains(place: string): void {
  const beginning = `${basename(place)}.partial-`
  for (const name of existsSync(dirname(place)) ? readdirSync(dirname(place)) : []) {
    if (name.startsWith(beginning) && /^\d+$/.test(name.slice(beginning.length))) rmSync(join(dirname(place), name))
  }
}

/** Whether this process may make a file of the same owner and group. */
function mayGive({ uid, gid }: { readonly uid: number; readonly gid: number }): boolean {
  const own = process.geteuid?.()
  return own === 0 || (uid === own && (process.getgroups?.() ?? []).concat(process.getegid?.() ?? []).includes(gid))
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}

function keepOwner(from: string, to: string): void {
  const found = statSync(from, { throwIfNoEntry: false })
  if (!found) return
  const made = statSync(to)
  if (made.uid !== found.uid || made.gid !== found.gid) chownSync(to, found.uid, found.gid)
  chmodSync(to, found.mode & 0o777)
}
