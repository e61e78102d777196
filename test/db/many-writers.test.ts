/** A database of the release before gets slots, counted changes and rows of instances, and keeps its sums. */
import { expect, test } from "bun:test"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { countEvent, countsSince } from "../../src/store/agent-mode/beacon-counters.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { metaValue } from "../../src/store/meta.ts"
import { attemptCounts, countMove } from "../../src/store/payments/attempt-counts.ts"
import { countDecision, decisionCounts } from "../../src/store/sales/decision-counts.ts"
import { recordRefusal } from "../../src/store/sources/source-changes.ts"
import { sourceGeneration } from "../../src/store/sources/sources.ts"
import { suppressionGeneration } from "../../src/store/sources/suppressions.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const AT = "2026-11-21T10:00:00.000Z"
const BEFORE = 47
const EVENT = { day: "2026-11-21", eventKind: "INTENT_OPENED", productId: "", channel: "http-api" }

const OLDER = `
  UPDATE attempt_count SET entered = 9, present = 4 WHERE state = 'SETTLED';
  INSERT INTO decision_count (product, decision, answers) VALUES ('p', 'ALLOW', 3);
  INSERT INTO beacon_count (day, event_kind, product_id, channel, events) VALUES ('2026-11-21', 'INTENT_OPENED', '', 'http-api', 5);
  INSERT INTO source_event (id, source_id, at, kind, raw_sha256, detail) VALUES (41, 'US_OFAC_SDN', '${AT}', 'REFUSED', 'sha256:0', '[]');
  INSERT INTO meta (name, value) VALUES ('write_probe', '${AT}'), ('saved_index_US', '{}'), ('saved_index_GB', '{}'), ('settlement', 'x');
`

test("a database of the release before keeps its sums, and later changes are counted on", async () => {
  using directory = freshDirectory()
  const database = openDatabase(`${directory.path}/old.db`)
  migrate(
    database,
    AT,
    migrations.filter(({ ordinal }) => ordinal <= BEFORE),
  )
  database.run(OLDER)
  migrate(database, AT)
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  expect(await store.read(sourceGeneration)).toBe(41)
  expect(await store.read(suppressionGeneration)).toBe("0 ")
  const refusal = { sourceId: "US_OFAC_SDN", at: AT, rawSha256: "sha256:1", findings: "[]" }
  await store.run(function* () {
    yield* countMove(null, "SETTLED")
    yield* countDecision("p", "ALLOW")
    yield* countEvent(EVENT)
    yield* recordRefusal(refusal, null)
  })
  expect((await store.read(attemptCounts)).find(({ state }) => state === "SETTLED")).toEqual({
    state: "SETTLED",
    entered: 10,
    present: 5,
  })
  expect(await store.read(decisionCounts)).toEqual([{ product: "p", decision: "ALLOW", answers: 4 }])
  expect(await store.read(() => countsSince("2026-01-01", 9))).toEqual([{ ...EVENT, events: 6 }])
  expect(await store.read(sourceGeneration)).toBe(42)
  expect(database.query("SELECT DISTINCT slot FROM attempt_count").values()).toEqual([[0]])
  expect(database.query("SELECT count(*) AS n FROM attempt_count").get()).toEqual({ n: 7 })
  expect(database.query("SELECT name FROM meta WHERE name = 'write_probe' OR name LIKE 'saved_%'").all()).toEqual([])
  expect(await store.read(() => metaValue("settlement"))).toBe("x")
  await store.close()
})
