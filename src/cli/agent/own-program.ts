/** The command line that starts this program as a child process. */
import { join } from "node:path"

declare const BUILD_TARGET: string | undefined

/** Returns the executable and the arguments before a command: the compiled file alone, or Bun and the source file. */
export function ownProgram(): readonly string[] {
  return typeof BUILD_TARGET === "string"
    ? [process.execPath]
    : [process.execPath, join(import.meta.dir, "../..", "main.ts")]
}

/** Returns the flags of this process, each as one argument, so that a value that starts with a hyphen stays a value. */
export function flagsOf(values: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]))
}
