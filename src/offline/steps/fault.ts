import type { Conclusion } from "../report.ts"

/** The reason why a step fails. It is thrown inside a step, becomes the step's outcome, and never leaves the step. */
export class Fault extends Error {
  constructor(
    readonly reasonCode: string,
    readonly detail: string,
    readonly outcome: Exclude<Conclusion, "VALID"> = "INVALID",
  ) {
    super(`${reasonCode}: ${detail}`)
  }
}

/** Throws {@link Fault} unless `holds`. */
export function must(holds: boolean, reasonCode: string, detail: string): asserts holds {
  if (!holds) throw new Fault(reasonCode, detail)
}
