/**
 * Virtual time and the order of all events. Nothing here waits: a step takes the next callback, sets the clock to its time, runs it and
 * drains the promises that it settled. The seed decides the order of callbacks at one time.
 */
import { drainMicrotasks } from "bun:jsc"
import type { Random } from "./random.ts"

/** The owner of the callback: those of a dead owner never run, those of a frozen one run when it resumes. */
export interface Owner {
  readonly name: string
  readonly isAlive: boolean
  /** Monotonic time in ms before which no callback of this owner runs. */
  readonly frozenUntil: number
}

interface Entry {
  at: number
  readonly order: number
  sequence: number
  readonly owner: Owner | null
  readonly name: string
  callback: (() => void) | null
}

export class Scheduler {
  /** Monotonic time in ms since the run began. */
  time = 0
  steps = 0
  private sequence = 0
  private readonly heap: Entry[] = []

  constructor(
    private readonly random: Random,
    /** Called before each step runs. */
    private readonly onStep: (name: string, owner: Owner | null, time: number) => void,
  ) {}

  /** Runs `callback` `ms` from now as a step called `name`. The returned function cancels it. */
  after(ms: number, name: string, owner: Owner | null, callback: () => void): () => void {
    const entry: Entry = {
      at: this.time + Math.max(0, ms),
      order: this.random.bits(),
      sequence: this.sequence++,
      owner,
      name,
      callback,
    }
    push(this.heap, entry)
    return () => {
      entry.callback = null
    }
  }

  /** Resolves `ms` from now. */
  sleep(ms: number, name: string, owner: Owner | null = null): Promise<void> {
    return new Promise((resolve) => void this.after(ms, name, owner, resolve))
  }

  /** One step; false when nothing is left, or the next callback is later than `until`. */
  step(until = Number.POSITIVE_INFINITY): boolean {
    for (;;) {
      const next = this.heap[0]
      if (!next || next.at > until) return false
      pop(this.heap)
      const { callback, owner } = next
      if (callback === null || owner?.isAlive === false) continue
      if (owner !== null && owner.frozenUntil > next.at) {
        next.at = owner.frozenUntil
        next.sequence = this.sequence++
        push(this.heap, next)
        continue
      }
      this.time = next.at
      this.steps++
      this.onStep(next.name, owner, next.at)
      callback()
      drainMicrotasks()
      return true
    }
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  if (a.at !== b.at) return a.at < b.at
  return a.order !== b.order ? a.order < b.order : a.sequence < b.sequence
}

function push(heap: Entry[], entry: Entry): void {
  let at = heap.length
  heap.push(entry)
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent] as Entry
    if (!isBefore(entry, above)) break
    heap[at] = above
    at = parent
  }
  heap[at] = entry
}

function pop(heap: Entry[]): void {
  const last = heap.pop() as Entry
  if (heap.length === 0) return
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child++
    if (!isBefore(heap[child] as Entry, last)) break
    heap[at] = heap[child] as Entry
    at = child
  }
  heap[at] = last
}
