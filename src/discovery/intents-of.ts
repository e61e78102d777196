import type { Intent, Operation } from "../../schemas/operation.ts"

/** Returns every need that a row meets. */
export function intentsOf({ intent, furtherIntents = [] }: Operation): readonly Intent[] {
  return intent ? [intent, ...furtherIntents] : furtherIntents
}
