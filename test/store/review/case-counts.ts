import { expect } from "bun:test"
import type { CaseCount } from "../../../src/store/review/review-counts.ts"
import type { Beside } from "../../fixtures/test-database.ts"

/** The kept counts equal the rows that they count. Returns them. */
export async function countsOfRows({ rows }: Pick<Beside, "rows">): Promise<readonly CaseCount[]> {
  const counted = await rows<CaseCount>(
    "SELECT product, state, count(*) AS cases FROM review_case GROUP BY product, state ORDER BY product, state",
  )
  const kept = await rows<CaseCount>(
    "SELECT product, state, cases FROM review_count WHERE cases <> 0 ORDER BY product, state",
  )
  expect(kept).toEqual(counted)
  return kept
}
