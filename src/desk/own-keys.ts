import { listKeys, type ReviewerKey } from "../store/review/review-register.ts"
import type { DeskDeps } from "./deps.ts"
import type { Reviewing } from "./visit.ts"

/** Every passkey that the person enrolled, revoked ones too. */
export async function keysOf(
  { store }: Pick<DeskDeps, "store">,
  { reviewerId }: Pick<Reviewing, "reviewerId">,
): Promise<readonly ReviewerKey[]> {
  return (await store.read(listKeys)).filter((key) => key.reviewerId === reviewerId)
}
