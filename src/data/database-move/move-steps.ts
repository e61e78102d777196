/** The steps of a move in their order, and what every one of them gets. */
import { type LongWork, stepsOf, UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"

export const MOVE_STEPS = [
  "LISTS",
  "LOCK",
  "SCHEMA",
  "COPY",
  "COMPARE",
  "REPORT",
  "MARK",
  "IN_USE",
  "KEEP",
  "CONFIGURE",
] as const
type MoveStep = (typeof MOVE_STEPS)[number]

const WORDS: Readonly<Record<MoveStep, string>> = {
  LISTS: "looking for the files beside the database",
  LOCK: "looking whether nobody uses the database",
  SCHEMA: "making the new database",
  COPY: "copying every table",
  COMPARE: "comparing every table",
  REPORT: "keeping the digests",
  MARK: "marking the earlier database as moved",
  IN_USE: "putting the new database into use",
  KEEP: "keeping the earlier database",
  CONFIGURE: "writing the configuration",
}

export interface MoveParts {
  readonly machine: Pick<Machine, "now" | "random">
  /** Called before each step, and before each batch of rows. A test kills the process there. */
  readonly trace?: (step: MoveStep, rows?: number) => void
  readonly work?: LongWork
}

export interface RunningMove extends Required<MoveParts> {
  readonly begin: ReturnType<typeof stepsOf<MoveStep>>
}

export function runningMove({ machine, trace = () => {}, work = UNWATCHED }: MoveParts): RunningMove {
  return { machine, trace, work, begin: stepsOf({ work, steps: MOVE_STEPS, words: WORDS, trace }) }
}
