import type { Command } from "./command.ts"
import { commands } from "./commands.ts"

/** Loads every command, in the order of the table. */
export async function everyLoaded(): Promise<readonly Command[]> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()))
  return loaded.map(({ command }) => command)
}
