/**
 * Where files lie between the network and the import: one folder a source beside the snapshots, so that nothing half there is ever below
 * a source's own folder. What a killed round left is removed by the next one, under the lock that says no other is at work.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { withLock } from "../publication/import-lock.ts"

const FOLDER = ".fetch"

/** Throws ImportBusy where another round of this source runs. `root` is the folder of all snapshots. */
export function withStaging<T>(root: string, sourceId: string, work: () => Promise<T>): Promise<T> {
  const parent = join(root, FOLDER)
  const busy = `another round that fetches ${sourceId} is running on this data directory`
  return withLock(parent, `${sourceId}.lock`, busy, async () => {
    rmSync(join(parent, sourceId), { recursive: true, force: true })
    try {
      return await work()
    } finally {
      rmSync(join(parent, sourceId), { recursive: true, force: true })
    }
  })
}

/** An empty folder, also for the second download of one round: it must not find the first one's files. Returns its path. */
export function empty(root: string, sourceId: string): string {
  const staging = join(root, FOLDER, sourceId)
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { recursive: true, mode: 0o700 })
  return staging
}
