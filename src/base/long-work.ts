/** What a long work reports while it runs. The command line shows it; a service and most tests watch nothing. */

export interface WorkStep {
  /** What is done now, such as `copying the database`. */
  readonly what: string
  /** Which one of how many steps. */
  readonly number?: { readonly at: number; readonly of: number }
  /** What `done` counts: `bytes`, or a plural such as `leaves`. Absent if nothing can be counted. */
  readonly unit?: string
  /** How many of them there are; null if that is unknown. */
  readonly total?: number | null
  /** Bytes that a step without a unit handles at once; 0 for next to nothing. */
  readonly size?: number
  /** Path of a file that grows to about `size` during a step without a unit. */
  readonly grows?: string
}

export interface Done {
  /** For a step whose total is known only now. */
  readonly total?: number | null
  /** A second count, such as `5000 rows`. */
  readonly also?: string
}

export interface LongWork {
  step(step: WorkStep): void
  /** `count`: how many of the step's units are done so far. */
  done(count: number, more?: Done): void
}

export const UNWATCHED: LongWork = { step: () => {}, done: () => {} }

interface NamedSteps<Name extends string> {
  readonly work: LongWork
  /** All of them, in their order. */
  readonly steps: readonly Name[]
  readonly words: Readonly<Record<Name, string>>
  /** Called before each step. A test kills the process there. */
  readonly trace: (name: Name) => void
}

/** Returns the function that begins one step of a work whose steps always come in one order. */
export function stepsOf<Name extends string>({ work, steps, words, trace }: NamedSteps<Name>) {
  return (name: Name, counted: Omit<WorkStep, "what" | "number"> = {}): void => {
    trace(name)
    work.step({ what: words[name], number: { at: steps.indexOf(name) + 1, of: steps.length }, ...counted })
  }
}

/** The same work; each step says first what it belongs to. */
export function titled(work: LongWork, title: string): LongWork {
  return { ...work, step: (step) => work.step({ ...step, what: `${title}: ${step.what}` }) }
}

/** Adds up what passes in one step. */
export function adding(work: LongWork): (more: number) => void {
  let count = 0
  return (more) => {
    count += more
    work.done(count)
  }
}
