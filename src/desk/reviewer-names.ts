import { listReviewers } from "../store/review/review-register.ts"
import type { DeskDeps } from "./deps.ts"

/** Names of the reviewers, by their ids. */
export type ReviewerNames = ReadonlyMap<string, string>

export async function namesOf({ store }: Pick<DeskDeps, "store">): Promise<ReviewerNames> {
  const reviewers = await store.read(listReviewers)
  return new Map(reviewers.map(({ reviewerId, name }) => [reviewerId, name]))
}

/** `reviewer` null: the operator at the machine. */
export function nameIn(names: ReviewerNames, reviewer: string | null): string {
  return reviewer === null ? "the operator" : (names.get(reviewer) ?? reviewer)
}
