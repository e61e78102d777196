/** Why no person can judge a hit or clear an answer, each with the way out. */
import type { CaseHit } from "../../schemas/case.ts"
import { type FoundHits, RECORDED_ROLES, WALLET_ROLES } from "./hits.ts"

/** Why no person can clear this answer, and the way out. Empty if nothing but a hit of {@link unjudgeableHits} is in the way. */
export function whyUnjudgeable({ leftOut, problems }: Pick<FoundHits, "leftOut" | "problems">): readonly string[] {
  return [
    ...(leftOut > 0
      ? [
          `${leftOut} further hits are not in the facts, so nobody can judge them one by one. Ask again with the registered name and an identifier, so that fewer entries are near.`,
        ]
      : []),
    ...naming(
      problems.filter(({ isGiven }) => isGiven).map(({ name }) => name),
      (names) =>
        `The program could not screen the whole name (${names}), so nobody can clear it. Ask again with the registered name in Latin letters.`,
    ),
    ...naming(
      problems.filter(({ isGiven }) => !isGiven).map(({ name }) => name),
      (names) =>
        `The program could not screen a name that a register or the buyer's records state (${names}), so nobody can clear it. No new request changes that name: a person must compare it with the lists.`,
    ),
  ]
}

/** The hits that no person can judge to be another party, with the way out. A person can still judge the others. */
export function unjudgeableHits({ hits }: Pick<FoundHits, "hits">): readonly string[] {
  const numbersOf = (isMeant: (hit: CaseHit) => boolean) => hits.filter(isMeant).map(({ number }) => number)
  const isEqual = ({ role, basis }: CaseHit) => basis === "IDENTIFIER" && !WALLET_ROLES.has(role)
  const cannot = (numbers: string) => `Nobody can judge listed entry ${numbers} to be another party:`
  return [
    ...naming(
      numbersOf((hit) => isEqual(hit) && !RECORDED_ROLES.has(hit.role)),
      (numbers) =>
        `${cannot(numbers)} it has an identifier of the company. If the identifier is not the company's own, ask again with the right one.`,
    ),
    ...naming(
      numbersOf((hit) => isEqual(hit) && RECORDED_ROLES.has(hit.role)),
      (numbers) =>
        `${cannot(numbers)} it has an identifier that the buyer's records know of the company. If the identifier is not the company's own, the buyer must have the operator correct the records.`,
    ),
    ...naming(
      numbersOf(({ role }) => WALLET_ROLES.has(role)),
      (numbers) =>
        `${cannot(numbers)} it has the wallet to which the money would go. Ask again with a wallet that is on no list.`,
    ),
  ]
}

/** One sentence about all of them, each named once; none without them. */
function naming(items: readonly (string | number)[], sentence: (items: string) => string): string[] {
  return items.length === 0 ? [] : [sentence([...new Set(items)].join(", "))]
}
