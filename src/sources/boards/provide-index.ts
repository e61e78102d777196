/**
 * Decides where an index is made. A small index is built in this thread, because a thread takes longer to start than the build. A large one
 * is opened from its file in this thread before the service serves requests. Otherwise it is opened or built in a thread, because the event
 * loop must not block.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { PARTIES_FILE, snapshotFolder } from "../import/snapshot-files.ts"
import { buildInThread } from "./build-in-thread.ts"
import { type IndexTask, openOrBuild, openSaved, type ProvidedIndex, withFault } from "./build-index.ts"

/** Parties of this size take about 15 ms to build in a process that has built none before; twice the size takes 25 ms. */
export const SMALL_BYTES_MAX = 32 * 1024

export interface ProvideOptions {
  /** Aborts the build; it then fails. */
  readonly signal: AbortSignal
  /** The service does not serve requests yet. */
  readonly starting: boolean
}

export async function provideIndex(task: IndexTask, { signal, starting }: ProvideOptions): Promise<ProvidedIndex> {
  const { saveAs: _, ...unsaved } = task
  // Writing a file takes longer than building a small index.
  if (isSmall(task)) return openOrBuild(unsaved)
  if (!starting) return buildInThread(task, { signal })
  const { index, fault } = openSaved(task)
  if (index) return index
  return withFault(await buildInThread({ ...task, saved: null }, { signal }), fault)
}

function isSmall({ root, lists }: IndexTask): boolean {
  const bytes = lists.map(({ row: { sourceId, snapshotId } }) => {
    const path = join(snapshotFolder(root, sourceId, snapshotId), PARTIES_FILE)
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0
  })
  return bytes.reduce((sum, size) => sum + size, 0) <= SMALL_BYTES_MAX
}
