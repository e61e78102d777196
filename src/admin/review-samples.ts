/** Cases that wait for a person, and keys that nobody approved, from the database: one read, whatever the number of cases. */
import { WAITING_STATES } from "../core/review/review-book.ts"
import { HOUR, SECOND } from "../core/time.ts"
import type { Store } from "../store/engine/unit.ts"
import { reviewNumbers } from "../store/review/review-numbers.ts"
import { type Sample, sample, waitSeconds } from "./exposition.ts"

interface ReviewParts {
  readonly store: Pick<Store, "read">
  readonly machine: { now(): number }
  /** The setting `review_target`. */
  readonly targetHours: number
}

export async function reviewSamples({ store, machine, targetHours }: ReviewParts): Promise<readonly Sample[]> {
  const now = machine.now()
  const { counts, oldest, breakGlass } = await store.read(() => reviewNumbers(now))
  const products = [...new Set(counts.map(({ product }) => product))]
  return [
    ...products.flatMap((product) =>
      WAITING_STATES.map((state) => {
        const count = counts.find((one) => one.product === product && one.state === state)
        return sample("bizauth_review_open", { product, state }, count?.cases ?? 0)
      }),
    ),
    sample("bizauth_review_oldest_seconds", {}, waitSeconds(oldest, now)),
    sample("bizauth_review_target_seconds", {}, (targetHours * HOUR) / SECOND),
    sample("bizauth_review_break_glass", {}, breakGlass.length),
  ]
}
