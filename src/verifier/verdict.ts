/** What the verifier of an export bundle found, step by step. "Could not check" is never "invalid" and never "fine". */

export type Outcome = "VALID" | "INVALID" | "NOT_CHECKED"

/** The steps of SVC-AGENT-BUNDLE-VERIFY-1 in their order. Every verdict names each; HOLDER only when the holder knows something. */
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

export interface Step {
  readonly step: StepName
  readonly outcome: Outcome
  /** `OK`, or why not. */
  readonly reason_code: string
  readonly detail: string
}

/** One wrong thing outweighs any number that could not be looked at. */
export function resultOf(steps: readonly Step[]): Outcome {
  const outcomes = new Set(steps.map(({ outcome }) => outcome))
  if (outcomes.has("INVALID")) return "INVALID"
  return outcomes.has("NOT_CHECKED") || steps.length === 0 ? "NOT_CHECKED" : "VALID"
}

/** Why a step does not hold; thrown inside a step and turned into its outcome, never further. */
export class Fault extends Error {
  constructor(
    readonly reasonCode: string,
    readonly detail: string,
    readonly outcome: Exclude<Outcome, "VALID"> = "INVALID",
  ) {
    super(`${reasonCode}: ${detail}`)
  }
}

/** Continues only when `holds`. */
export function must(holds: boolean, reasonCode: string, detail: string): asserts holds {
  if (!holds) throw new Fault(reasonCode, detail)
}
