import { reviewNumbers } from "../store/review/review-numbers.ts"
import type { DeskDeps } from "./deps.ts"

/** A passkey that the operator admitted without approvals within the last 30 days. */
export interface BreakGlass {
  readonly name: string
  readonly why: string
  /** RFC 3339. */
  readonly since: string
}

export async function breakGlassOf({
  store,
  machine,
}: Pick<DeskDeps, "store" | "machine">): Promise<readonly BreakGlass[]> {
  return (await store.read(() => reviewNumbers(machine.now()))).breakGlass
}
