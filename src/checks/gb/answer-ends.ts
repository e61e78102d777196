import type { GbFacts } from "../../../schemas/gb/supplier-facts.ts"
import { instant } from "../../core/time.ts"
import { sourceEnds } from "../policy/answer.ts"

/**
 * When a UK answer ends at the latest, in milliseconds (rulings 41): its own longest time, the list, the register, and what the caller's
 * evidence says of itself. An end that has passed is a reason of the answer, not its end.
 */
export function answerEnds(facts: GbFacts, longest: number, stated: readonly string[]): number[] {
  const at = instant(facts.at)
  const ends = [longest, ...sourceEnds(facts), instant(facts.company.stale_at), ...stated.map(instant)]
  return ends.filter((end) => end > at)
}
