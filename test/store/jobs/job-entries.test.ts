import { expect, test } from "bun:test"
import type { Unit } from "../../../src/store/engine/unit.ts"
import { ENTRIES_MAX, judgedEntries, recordEntry } from "../../../src/store/jobs/job-entries.ts"
import { recordJob } from "../../../src/store/jobs/jobs.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { AT } from "../money-rows.ts"

const ADDRESS = `0x${"1".repeat(40)}`

test("a job with as many messages as are judged still shows each one that was served again", async () => {
  await using database = await newStore()
  await database.store.run(function* (): Unit<void> {
    const terms = { client: ADDRESS, provider: ADDRESS, evaluator: ADDRESS, hook: ADDRESS, expiredAt: 1 }
    yield* recordJob({ id: "job_1", chainId: 1, contract: ADDRESS, jobId: "1", createdBlock: "1", at: AT, ...terms })
    for (let n = 0; n < ENTRIES_MAX; n++) {
      yield* recordEntry("job_1", {
        entryKey: `a${n}`,
        receivedAt: AT,
        verdict: "IGNORED",
        code: "REQUIREMENT_NOT_JSON",
      })
    }
    for (let n = 0; n < 8; n++) {
      yield* recordEntry("job_1", {
        entryKey: `b${n}`,
        receivedAt: AT,
        verdict: "SERVED_AGAIN",
        code: "DELIVERED_BEFORE",
      })
    }
  })
  const judged = await database.store.read(() => judgedEntries("job_1"))
  expect(judged.filter(({ verdict }) => verdict === "SERVED_AGAIN")).toHaveLength(8)
})
