/** Opens a case for each sold answer that needs a person, also for those of earlier releases. */
import type { Store } from "../store/engine/unit.ts"
import { nextReviewStep, openCases } from "../store/review/review-cases.ts"
import { caseRowOf, mayWait } from "./case-row.ts"

/** One step. Returns whether sold answers are left that no step looked at. */
export async function openNextCases(store: Pick<Store, "read" | "run">): Promise<boolean> {
  // What a step reads is final. Read in the unit that writes, it would keep other units waiting.
  const step = await store.read(() => nextReviewStep(mayWait))
  if (step === null) return false
  const cases = step.answers.flatMap((answer) => caseRowOf(answer) ?? [])
  await store.run(() => openCases(step, cases), "sequencing")
  return !step.isLast
}
