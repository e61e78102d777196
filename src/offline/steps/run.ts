/** The steps of a published procedure. Its readers know each step by its name, and each outcome by its reason code. */
import type { Conclusion } from "../report.ts"
import { Fault } from "./fault.ts"

export interface Step<Name extends string = string> {
  readonly step: Name
  /** NOT_CHECKED never means invalid and never means valid. */
  readonly outcome: Conclusion
  /** `OK`, or the reason code of the outcome. */
  readonly reason_code: string
  readonly detail: string
}

export interface Passed<T> {
  readonly value: T
  readonly detail: string
  readonly reasonCode?: string
}

/** Collects the steps of one verification. A step without the result of an earlier step is NOT_CHECKED and never passes. */
export class Run<Name extends string> {
  readonly steps: Step<Name>[] = []

  note(step: Name, outcome: Conclusion, reasonCode: string, detail: string): void {
    this.steps.push({ step, outcome, reason_code: reasonCode, detail })
  }

  /** Returns the result of the step, or null if it did not pass. An error other than {@link Fault} is a bug and is thrown on. */
  async step<T>(step: Name, check: () => Passed<T> | Promise<Passed<T>>): Promise<T | null> {
    try {
      const { value, detail, reasonCode = "OK" } = await check()
      this.note(step, "VALID", reasonCode, detail)
      return value
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.note(step, error.outcome, error.reasonCode, error.detail)
      return null
    }
  }

  /** One INVALID step outweighs any number of NOT_CHECKED steps. */
  get result(): Conclusion {
    const outcomes = new Set(this.steps.map(({ outcome }) => outcome))
    if (outcomes.has("INVALID")) return "INVALID"
    return outcomes.has("NOT_CHECKED") || this.steps.length === 0 ? "NOT_CHECKED" : "VALID"
  }
}

/** Used inside a step: returns the result of an earlier step, or throws a Fault with NOT_CHECKED. */
export function needed<T>(value: T | null, from: string): T {
  if (value === null) throw new Fault(`NEEDS_${from}`, `Nothing to check with: ${from} did not pass.`, "NOT_CHECKED")
  return value
}
