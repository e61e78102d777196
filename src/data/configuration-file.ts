/** Changes single settings of the configuration file. Every other line stays as it is. */
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
import { ConfigError, SETTING_NAMES, type SettingName } from "../base/config.ts"
import { renameDurably, writeNewFile } from "../base/durable-file.ts"
import { settings } from "../base/settings.ts"

/** The beginning of the first table. */
const TABLE = /^[ \t]*\[/m
/** A value on one line, and the comment behind it. */
const VALUE = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"']+)([ \t]*#.*)?$/

/** Settings by name. Null: the default, whose line becomes a comment. */
export type SettingChanges = Readonly<Partial<Record<SettingName, string | null>>>

/** The text with these settings, or without them. Throws {@link ConfigError} where it cannot be changed safely. */
export function withSettings(text: string, changes: SettingChanges): string {
  return SETTING_NAMES.reduce((changed, name) => {
    const value = changes[name]
    return value === undefined ? changed : withSetting(changed, name, value)
  }, text)
}

function withSetting(text: string, name: SettingName, value: string | null): string {
  // An assignment, or one that is a comment.
  const lines = [...text.matchAll(new RegExp(`^[ \\t]*(#?)[ \\t]*${name}[ \\t]*=[ \\t]*([^\\n]*?)[ \\t\\r]*$`, "gm"))]
  const table = TABLE.exec(text)?.index ?? text.length
  const line = lines.find(([, comment]) => comment === "") ?? lines.find(({ index }) => index < table)
  const [, behind = ""] = VALUE.exec(line?.[2] ?? "") ?? []
  const written =
    value === null ? `# ${name} = ${JSON.stringify(settings[name].default)}` : `${name} = ${JSON.stringify(value)}`
  // Above the first table, because a line below it would belong to the table.
  const changed = line
    ? `${text.slice(0, line.index)}${written}${behind}${text.slice(line.index + line[0].length)}`
    : value === null
      ? text
      : `${written}\n${text}`
  if (isAsMeant(text, changed, { name, value })) return changed
  throw new ConfigError(`${name} is written in a form that this command does not change: write it on one line`)
}

interface Change {
  readonly name: SettingName
  readonly value: string | null
}

function isAsMeant(before: string, after: string, { name, value }: Change): boolean {
  const { [name]: _, ...others } = parsed(before) ?? {}
  const { [name]: found, ...kept } = parsed(after) ?? { [name]: 0 }
  return (found ?? null) === value && JSON.stringify(kept) === JSON.stringify(others)
}

/** Null for a text that is no TOML, such as one that names a setting twice. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}

/** Throws {@link ConfigError} if {@link changeSettings} would not work. Changes nothing. `why`: what the file must say, and when. */
export function requireChangeable(path: string, changes: SettingChanges, why: string): void {
  const place = existsSync(path) ? realpathSync(path) : path
  withSettings(textOf(place), changes)
  try {
    accessSync(dirname(place), constants.W_OK | constants.X_OK)
    const found = statSync(place, { throwIfNoEntry: false })
    if (found && !mayGive(found)) throw new Error("another owner")
  } catch {
    throw new ConfigError(`${place} ${why}, and this user may not replace it: run the command as a user who may`)
  }
}

/** Replaces the file durably, and keeps its mode and owner. */
export function changeSettings(path: string, changes: SettingChanges): void {
  const place = existsSync(path) ? realpathSync(path) : path
  removeRemains(place)
  const text = textOf(place)
  const changed = withSettings(text, changes)
  if (changed === text) return
  const partial = `${place}.partial-${process.pid}`
  writeNewFile(partial, [changed])
  keepOwner(place, partial)
  renameDurably(partial, place)
}

/** Of commands that were killed. */
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
