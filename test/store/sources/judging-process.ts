/** Adds three judgements in one unit, as `suppressions add --hit 1,2,3` does, and kills itself. Arguments: ADDRESS STEP. */
import type { Unit } from "../../../src/store/engine/unit.ts"
import { addSuppressions, type SuppressionRow } from "../../../src/store/sources/suppressions.ts"
import { databaseAt } from "../../fixtures/test-database.ts"

/** Statements of the unit that may be the last one, or the commit. */
export const AFTER_COMMIT = "COMMIT"

export const THREE: readonly SuppressionRow[] = ["sup_a", "sup_b", "sup_c"].map((suppressionId) => ({
  suppressionId,
  partyDigest: `sha256:${suppressionId}`,
  party: "{}",
  sourceId: "US_OFAC_SDN",
  entryId: "90001",
  entryHash: "sha256:entry",
  author: "R. Reviewer",
  reason: "another owner",
  createdAt: "2026-11-20T12:00:00.000Z",
  expiresAt: "2027-01-20T12:00:00.000Z",
  detailsVersion: null,
  detailsDigest: null,
}))

/** Dies instead of the statement with this number, from 1. */
function* dyingAt(step: string): Unit<unknown> {
  const unit = addSuppressions(THREE)
  let next = unit.next()
  for (let number = 1; !next.done; number++) {
    if (String(number) === step) process.kill(process.pid, "SIGKILL")
    next = unit.next((yield next.value) as never)
  }
  return next.value
}

if (import.meta.main) {
  const [address = "", step = ""] = process.argv.slice(2)
  const { store } = await databaseAt(address).open()
  await store.run(() => dyingAt(step))
  if (step === AFTER_COMMIT) process.kill(process.pid, "SIGKILL")
  await store.close()
}
