/**
 * The folder in which the details of a list are built, beside the folders of its snapshots. An import removes what a killed import left there, and it
 * must not take a file that is being built for that.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { withFolderLock } from "../../base/folder-lock.ts"

/** In the folder of all snapshots: one folder for each list. */
const FOLDER = ".details"
/** How long one look at the lock lasts. After it a stopped build ends. */
const LOOK_MS = 500
/** Longer than a build takes. */
const LOOKS_MAX = 120

export function buildFolder(root: string, sourceId: string): string {
  return join(root, FOLDER, sourceId)
}

/**
 * Runs `work` while no other process builds details of this list, in a folder without files. Null if another one builds for a minute. Throws the reason of
 * `signal`.
 */
export async function inBuildFolder<T>(
  root: string,
  sourceId: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<{ readonly value: T } | null> {
  const folder = buildFolder(root, sourceId)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const alone = () => {
    empty(folder)
    return work()
  }
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    signal?.throwIfAborted()
    const done = await withFolderLock(folder, LOOK_MS, alone)
    if (done) return done
  }
  return null
}

/** Removes what a killed or stopped build left. Leaves the file of a build that runs. */
export async function removeUnfinished(root: string, sourceId: string): Promise<void> {
  const folder = buildFolder(root, sourceId)
  if (existsSync(folder)) await withFolderLock(folder, 0, async () => empty(folder))
}

function empty(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
}
