/** Screens blocks of rows in this thread or in several, and returns the results in the order of the blocks. */
import { NameIndex } from "../../sources/screening/name-index.ts"
import type { NameRow } from "../../sources/screening/names-file.ts"
import { shareIndex } from "../../sources/screening/shared-index.ts"
import type { RowBlock, ScreenedBlock, ThreadLists } from "./screen-thread.ts"
import { type RowOptions, type ScreenedRows, screenRows } from "./screened-rows.ts"
import type { LoadedLists } from "./screening-lists.ts"

export interface RowScreener {
  /** Blocks that may be given before their results are taken. */
  readonly ahead: number
  give(rows: readonly NameRow[]): void
  /** Returns the result of the first block whose result was not taken. Call it once for each block. Rejects if a thread fails. */
  next(): Promise<ScreenedRows>
  /** Ends the threads. */
  close(): void
}

/** More would only share the memory bandwidth. */
export const THREADS_MAX = 16
/** A thread that waits for its next block does nothing, so each has one in reserve. */
const BLOCKS_PER_THREAD = 2

declare const BUILD_TARGET: string | undefined

/** In the compiled file the modules lie in its root folder; the entry points lie below it as in `src`. */
const THREAD = new URL(
  typeof BUILD_TARGET === "string" ? "./cli/screening/screen-thread.ts" : "./screen-thread.ts",
  import.meta.url,
).href

export function openScreener(lists: LoadedLists, options: RowOptions, threads: number): RowScreener {
  const { listed, ...others } = lists
  if (threads === 1) {
    const open = { ...others, index: new NameIndex(listed) }
    return new OwnThread((rows) => screenRows(open, rows, options))
  }
  return new Threads({ ...others, shared: shareIndex(listed.snapshotIds, listed.parties), options }, threads)
}

class OwnThread implements RowScreener {
  readonly ahead = 1
  readonly #results: ScreenedRows[] = []

  constructor(private readonly screened: (rows: readonly NameRow[]) => ScreenedRows) {}

  give(rows: readonly NameRow[]): void {
    this.#results.push(this.screened(rows))
  }

  async next(): Promise<ScreenedRows> {
    return taken(this.#results.shift())
  }

  close(): void {}
}

class Threads implements RowScreener {
  readonly ahead: number
  readonly #threads: readonly Worker[]
  readonly #results = new Map<number, ScreenedRows>()
  #given = 0
  #taken = 0
  #failure: Error | null = null
  /** Continues `next`, which waits for a result. */
  #wake = () => {}

  constructor(lists: ThreadLists, count: number) {
    this.ahead = count * BLOCKS_PER_THREAD
    this.#threads = Array.from({ length: count }, () => this.#opened(lists))
  }

  give(rows: readonly NameRow[]): void {
    const block: RowBlock = { number: this.#given, rows }
    this.#threads[this.#given % this.#threads.length]?.postMessage(block)
    this.#given += 1
  }

  async next(): Promise<ScreenedRows> {
    const number = this.#taken++
    while (!this.#results.has(number)) {
      if (this.#failure) throw this.#failure
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
    const result = this.#results.get(number)
    this.#results.delete(number)
    return taken(result)
  }

  close(): void {
    for (const thread of this.#threads) thread.terminate()
  }

  #opened(lists: ThreadLists): Worker {
    const thread = new Worker(THREAD)
    const fail = (why: string) => {
      this.#failure ??= new Error(why)
      this.#wake()
    }
    thread.onmessage = ({ data: { number, ...rows } }: MessageEvent<ScreenedBlock>) => {
      this.#results.set(number, rows)
      this.#wake()
    }
    thread.onmessageerror = () => fail("what a screening thread sent could not be read")
    thread.onerror = ({ message }) => fail(`a screening thread failed: ${message}`)
    thread.addEventListener("close", () => fail("a screening thread ended before its results came"))
    thread.postMessage(lists)
    return thread
  }
}

function taken(result: ScreenedRows | undefined): ScreenedRows {
  if (!result) throw new Error("no block was given for this result")
  return result
}
