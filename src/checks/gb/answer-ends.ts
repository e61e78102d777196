import type { GbFacts } from "../../../schemas/gb/supplier-facts.ts"
import { instant } from "../../core/time.ts"
import { sourceEnds } from "../policy/answer.ts"

/**
 * Returns the latest possible ends of a UK answer in milliseconds (rulings 41): its own maximum lifetime, the list, the register, and the
 * ends that the caller's evidence states. An end in the past is a reason in the answer; it does not end the answer.
 */
export function answerEnds(facts: GbFacts, longest: number, stated: readonly string[]): number[] {
  const at = instant(facts.at)
  const ends = [longest, ...sourceEnds(facts), instant(facts.company.stale_at), ...stated.map(instant)]
  return ends.filter((end) => end > at)
}
