/**
 * Where an index is made. A small one here: a thread takes longer to start than the build. A large one is opened from its file here
 * while nothing is served yet, and else opened or built in a thread, because the event loop must not stop for it.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { PARTIES_FILE, snapshotFolder } from "../publication/snapshot-files.ts"
import { buildInThread } from "./build-in-thread.ts"
import { type IndexTask, openOrBuild, openSaved, type ProvidedIndex, withFault } from "./build-index.ts"

/** Parties of so many bytes take about 15 ms to build in a process that has built none; twice as many take 25 ms. */
export const SMALL_BYTES_MAX = 32 * 1024

export interface ProvideOptions {
  /** Ends a build; it then fails. */
  readonly signal: AbortSignal
  /** Nothing is served yet. */
  readonly starting: boolean
}

export async function provideIndex(task: IndexTask, { signal, starting }: ProvideOptions): Promise<ProvidedIndex> {
  const { saveAs: _, ...unsaved } = task
  // To write a file takes longer than to build a small index.
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
