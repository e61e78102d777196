/**
 * Draws the progress line from a thread of its own while the main thread is blocked, for example by one SQL statement that copies a
 * database. Both threads write to the same terminal, so a lock decides who may.
 */
import type { WorkStep } from "../base/long-work.ts"

declare const BUILD_TARGET: string | undefined

export interface BlockedLine {
  /** From now on the thread draws this step. */
  begin(step: WorkStep): void
  /** The thread draws nothing more when this returns. */
  stop(): void
  /** Ends the thread. */
  end(): void
}

export interface BlockedStep {
  readonly lock: Int32Array
  readonly generation: number
  readonly step: WorkStep
  readonly columns: number
}

const STATE = 0
const GENERATION = 1
const FREE = 0
const HELD = 1
/** A draw is one small write, so it never takes as long as all these waits. */
const WAITS_MAX = 20
const WAIT_MS = 50

/** In the compiled file the modules lie in its root folder; the entry points lie below it as in `src`. */
const THREAD = new URL(
  typeof BUILD_TARGET === "string" ? "./cli/blocked-line-thread.ts" : "./blocked-line-thread.ts",
  import.meta.url,
).href

export function openBlockedLine(columns: () => number): BlockedLine {
  const lock = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  let worker: Worker | null = null
  return {
    begin(step) {
      worker ??= openThread()
      const task: BlockedStep = { lock, generation: Atomics.load(lock, GENERATION), step, columns: columns() }
      worker.postMessage(task)
    },
    stop: () => endGeneration(lock),
    end() {
      endGeneration(lock)
      worker?.terminate()
      worker = null
    },
  }
}

function openThread(): Worker {
  const thread = new Worker(THREAD)
  // If it fails, the line that the main thread has drawn stays as it is.
  thread.onerror = (event) => event.preventDefault()
  return thread
}

/** In the thread: draws, unless the step of this generation has ended or the main thread writes. */
export function drawUnlessEnded(
  { lock, generation }: Pick<BlockedStep, "lock" | "generation">,
  draw: () => void,
): void {
  if (Atomics.compareExchange(lock, STATE, FREE, HELD) !== FREE) return
  try {
    if (Atomics.load(lock, GENERATION) === generation) draw()
  } finally {
    Atomics.store(lock, STATE, FREE)
    Atomics.notify(lock, STATE)
  }
}

function endGeneration(lock: Int32Array): void {
  for (let waits = 0; Atomics.compareExchange(lock, STATE, FREE, HELD) !== FREE && waits < WAITS_MAX; waits++) {
    Atomics.wait(lock, STATE, HELD, WAIT_MS)
  }
  Atomics.add(lock, GENERATION, 1)
  Atomics.store(lock, STATE, FREE)
}
