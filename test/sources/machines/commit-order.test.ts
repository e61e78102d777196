/** A change whose row has a lower id than one that was committed before it is seen on every machine, within two seconds. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { type ReservedSQL, SQL } from "bun"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { DAY, formatInstant, SECOND } from "../../../src/core/time.ts"
import { openBoard } from "../../../src/sources/boards/open-board.ts"
import { openSuppressions } from "../../../src/sources/boards/suppression-book.ts"
import { screenedPartyDigest } from "../../../src/sources/screening/suppress.ts"
import { addSuppressions, revokeSuppression, type SuppressionRow } from "../../../src/store/sources/suppressions.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { until } from "../../fixtures/until.ts"
import { START } from "../import-bench.ts"
import { type BenchMachine, sharedBench, twoPublications } from "./shared-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const SDN = "US_OFAC_SDN"
const PARTY = { name: "Karvolan Maritime Trading", type: "org", identifiers: [], countries: [] } as const
const DIGEST = screenedPartyDigest(PARTY) ?? ""
const AT = formatInstant(START)

const judgement = (suppressionId: string): SuppressionRow => ({
  suppressionId,
  partyDigest: DIGEST,
  party: canonicalize(PARTY),
  sourceId: SDN,
  entryId: suppressionId,
  entryHash: "sha256:entry",
  author: "R. Reviewer",
  reason: "another owner",
  createdAt: AT,
  expiresAt: formatInstant(START + DAY),
  detailsVersion: null,
  detailsDigest: null,
})

/** Runs `use` in a transaction of the test, which commits when `use` returns. */
async function inTransaction(url: string, use: (connection: ReservedSQL) => Promise<void>): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  try {
    const connection = await sql.reserve()
    await connection.unsafe("BEGIN")
    await use(connection)
    await connection.unsafe("COMMIT")
  } finally {
    await sql.close({ timeout: 0 })
  }
}

const newestIds = "SELECT suppression_id AS id FROM suppression_event ORDER BY suppression_event.id"

async function bookOn({ store, log }: BenchMachine, clock: BenchMachine["place"]["machine"]) {
  const { suppressions, worker } = await openSuppressions({ store, machine: clock, log })
  worker.start()
  return { ids: () => (suppressions().get(DIGEST) ?? []).map(({ suppressionId }) => suppressionId).sort(), worker }
}

/** Milliseconds until `done` is true everywhere. */
async function timeUntil(done: () => boolean): Promise<number> {
  const began = performance.now()
  await until("both machines have the change", done, { withinMs: 5_000 })
  return performance.now() - began
}

describe.skipIf(!HAS_POSTGRES)(`changes that commit out of the order of their ids${NOT_RUN}`, () => {
  test("a judgement and a revocation are in force, or withdrawn, on both machines", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    await one.store.run(() => addSuppressions([judgement("sup_old")]))
    const books = [await bookOn(one, bench.clock), await bookOn(other, bench.clock)]
    const all = (ids: readonly string[]) => () => books.every((book) => book.ids().join() === ids.join())
    try {
      await inTransaction(bench.database.address, async (connection) => {
        const { suppressionId: id, party } = judgement("sup_low")
        await connection.unsafe(
          `INSERT INTO suppression (suppression_id, party_digest, party, source_id, entry_id, entry_hash, author, reason, created_at, expires_at)
           SELECT $1, party_digest, $2, source_id, $1, entry_hash, author, reason, created_at, expires_at FROM suppression`,
          [id, party],
        )
        const event =
          "INSERT INTO suppression_event (suppression_id, at, kind, author, reason) VALUES ($1, $2, $3, 'R', 'r')"
        await connection.unsafe(event, [id, AT, "ADDED"])
        await connection.unsafe(event, ["sup_old", AT, "REVOKED"])
        await other.store.run(() => addSuppressions([judgement("sup_high")]))
        await until("the later one is in force", all(["sup_high", "sup_old"]))
        await connection.unsafe("UPDATE change_count SET changes = changes + 2 WHERE subject = 'SUPPRESSIONS'")
      })
      expect(await timeUntil(all(["sup_high", "sup_low"]))).toBeLessThan(2 * SECOND)
      const events = await bench.database.rows<{ id: string }>(newestIds)
      expect(events.map(({ id }) => id)).toEqual(["sup_old", "sup_low", "sup_old", "sup_high"])
      await other.store.run(() => revokeSuppression("sup_high", { at: AT, author: "S", reason: "wrong" }))
      expect(await timeUntil(all(["sup_low"]))).toBeLessThan(2 * SECOND)
    } finally {
      for (const { worker } of books) await worker.stop()
    }
  })

  test("a withdrawn list is answered from on neither machine", async () => {
    await using bench = await sharedBench()
    const { one, other, first, second } = await twoPublications(bench)
    const boards = await Promise.all(
      [one, other].map(async ({ store, root, log, sharing }) =>
        openBoard({
          ...{ store, snapshotsDirectory: root, log, sharing, disabled: [] },
          machine: bench.clock,
          sources: [SDN, "US_TRADE_CSL"],
        }),
      ),
    )
    const all = (id: string | null) => () => boards.every(({ board }) => board.index().snapshotIds[SDN] === id)
    for (const { worker } of boards) worker.start()
    try {
      expect(all(second)()).toBe(true)
      await inTransaction(bench.database.address, async (connection) => {
        const event =
          "INSERT INTO source_event (source_id, at, kind, snapshot_id, raw_sha256, detail) VALUES ($1, $2, $3, $4, 'raw', '[]')"
        await connection.unsafe(event, [SDN, AT, "ROLLED_BACK", first])
        // Another list has a higher id and commits first.
        await other.import("US_TRADE_CSL", bench.files("US_TRADE_CSL"))
        await until("both boards have seen it", () =>
          [one, other].every(({ logged }) => logged.filter(({ event }) => event === "snapshot_received").length > 0),
        )
        expect(all(second)()).toBe(true)
        const move = "UPDATE source_snapshot SET state = $1 WHERE snapshot_id = $2"
        await connection.unsafe(move, ["WITHDRAWN", second])
        await connection.unsafe(move, ["ACTIVE", first])
        await connection.unsafe("UPDATE change_count SET changes = changes + 1 WHERE subject = 'SOURCES'")
      })
      expect(await timeUntil(all(first))).toBeLessThan(2 * SECOND)
    } finally {
      for (const { worker } of boards) await worker.stop()
    }
  })
})
