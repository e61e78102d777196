/** What the tests of restores share. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { openDataDirectory } from "../../../src/data/data-directory.ts"
import { requireNewestLog } from "../../../src/data/log-size-record.ts"

/** Opens the directory as `serve` does, with the checks before it serves. */
export async function opened<T>(
  directory: string,
  look: (data: Awaited<ReturnType<typeof openDataDirectory>>) => Promise<T>,
): Promise<T> {
  const data = await openDataDirectory(directory, {
    machine: realMachine,
    migrate: true,
    onFatal: (error) => {
      throw error
    },
  })
  try {
    await requireNewestLog(data)
    return await look(data)
  } finally {
    await data.store.close()
  }
}

/** Name, mode and content of everything in the folder. */
export function digestOf(folder: string): string {
  const hash = createHash("sha256")
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    const found = statSync(join(folder, name))
    hash.update(`${name} ${found.mode} ${found.mtimeMs}\n`)
    if (found.isFile()) hash.update(readFileSync(join(folder, name)))
  }
  return hash.digest("hex")
}

/** Runs restore-process.ts. Returns how it ended. */
export async function killed(...args: string[]): Promise<string | number | null> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "restore-process.ts"), ...args], {
    stdout: "ignore",
    stderr: "inherit",
  })
  await child.exited
  return child.signalCode ?? child.exitCode
}
