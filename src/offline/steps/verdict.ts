/** The findings of the export bundle verifier, step by step. NOT_CHECKED never means invalid and never means valid. */

export type Outcome = "VALID" | "INVALID" | "NOT_CHECKED"

/** The steps of SVC-AGENT-BUNDLE-VERIFY-1 in order. Every verdict names each step. HOLDER is present only if the holder knows something. */
export const STEPS = [
  "BYTES",
  "SHAPE",
  "KEY_EVENTS",
  "SERVICE_KEYS",
  "CHECKPOINT",
  "LOG_KEY",
  "INCLUSION",
  "CURRENCY",
  "RECEIPTS",
  "STATUS",
  "BUNDLE_SIGNATURE",
  "TIMES",
  "AGE",
  "HOLDER",
] as const
export type StepName = (typeof STEPS)[number]

export interface Step<Name extends string = StepName> {
  readonly step: Name
  readonly outcome: Outcome
  /** `OK`, or the reason code of the outcome. */
  readonly reason_code: string
  readonly detail: string
}

/** One INVALID step outweighs any number of NOT_CHECKED steps. */
export function resultOf(steps: readonly Pick<Step, "outcome">[]): Outcome {
  const outcomes = new Set(steps.map(({ outcome }) => outcome))
  if (outcomes.has("INVALID")) return "INVALID"
  return outcomes.has("NOT_CHECKED") || steps.length === 0 ? "NOT_CHECKED" : "VALID"
}

/** The reason why a step fails. It is thrown inside a step, becomes the step's outcome, and never leaves the step. */
export class Fault extends Error {
  constructor(
    readonly reasonCode: string,
    readonly detail: string,
    readonly outcome: Exclude<Outcome, "VALID"> = "INVALID",
  ) {
    super(`${reasonCode}: ${detail}`)
  }
}

/** Throws {@link Fault} unless `holds`. */
export function must(holds: boolean, reasonCode: string, detail: string): asserts holds {
  if (!holds) throw new Fault(reasonCode, detail)
}
