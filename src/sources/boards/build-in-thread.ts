/** Builds an index in a thread of its own. The thread that serves requests only receives blocks of memory. */
import { runTask } from "../../base/thread-task.ts"
import type { BuiltDetails, DetailsTask } from "../details/build-details.ts"
import type { IndexTask, ProvidedIndex } from "./build-index.ts"

declare const BUILD_TARGET: string | undefined

/** Many times the duration for a million names. A thread that needs longer hangs. */
export const BUILD_MS_MAX = 120_000

/** In the compiled file the modules lie in its root folder; the entry points lie below it as in `src`. */
const THREAD = new URL(
  typeof BUILD_TARGET === "string" ? "./sources/boards/index-thread.ts" : "./index-thread.ts",
  import.meta.url,
).href

interface ThreadOptions {
  readonly thread?: string
  readonly msMax?: number
  /** Stops the thread; the build then fails. */
  readonly signal?: AbortSignal
}

/** Rejects with the reason if the thread throws, dies, is stopped or takes too long. In every case the thread and its memory are freed. */
export function buildInThread(task: IndexTask, options: ThreadOptions = {}): Promise<ProvidedIndex> {
  return runInThread<ProvidedIndex>(task, options)
}

/** Builds the details of a snapshot in the same kind of thread. */
export function buildDetailsInThread(details: DetailsTask, options: ThreadOptions = {}): Promise<BuiltDetails> {
  return runInThread<BuiltDetails>({ details }, options)
}

async function runInThread<Result>(
  task: unknown,
  { thread = THREAD, msMax = BUILD_MS_MAX, signal }: ThreadOptions,
): Promise<Result> {
  if (signal?.aborted) throw new Error("the build was stopped")
  const worker = new Worker(thread)
  try {
    return await runTask<Result>(worker, task, { msMax, signal })
  } finally {
    worker.terminate()
  }
}
