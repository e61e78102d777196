/** This very program, as a child process of it is started. */
import { join } from "node:path"

declare const BUILD_TARGET: string | undefined

/** The executable and what stands before a command: the compiled file alone, or Bun and the source. */
export function ownProgram(): readonly string[] {
  return typeof BUILD_TARGET === "string"
    ? [process.execPath]
    : [process.execPath, join(import.meta.dir, "../..", "main.ts")]
}

/** The flags this process was given, as one argument each: a value that starts with a hyphen stays a value. */
export function flagsOf(values: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]))
}
