/**
 * Measures the list of what was sold: `bun scripts/bench-sold.ts [sqlite|postgres] [ROWS] [ROUNDS]`. First the pages of 100 answers by each
 * filter, then the unit that delivers a Payment Decision, without the row of the list and with it in turns. On PostgreSQL the server waits for its
 * disk.
 */
import { legalNameKey } from "../src/core/legal-name-key.ts"
import type { Store, Unit } from "../src/store/engine/unit.ts"
import { keepRecord } from "../src/store/sales/authorization-records.ts"
import { partyKeys } from "../src/store/sales/party-keys.ts"
import { keepSold, listWaiting } from "../src/store/sales/sold-answers.ts"
import { findSold, type SoldFilter } from "../src/store/sales/sold-pages.ts"
import { joinSupplier } from "../src/store/sales/supplier-joins.ts"
import { startPostgres } from "../test/fixtures/postgres.ts"
import { newDatabaseOn, type TestDatabase } from "../test/fixtures/test-database.ts"
import { LATER } from "../test/store/money-rows.ts"
import { deliverPaid, payFor } from "../test/store/purchase-units.ts"
import { inTurns } from "./bench/in-turns.ts"
import { median, quantile } from "./bench/statistics.ts"

const [engine = "sqlite", rows = "1000000", rounds = "600"] = Bun.argv.slice(2)
const ROWS = Number(rows)
const ROUNDS = Number(rounds)
const PAGE = 100
const RUNS = 101
const WARM_UP = 100
/** A search that compares answer by answer runs once. */
const SLOW_MS = 100
/** Rounds. */
const LISTED_EVERY = 25
const WAITS_FOR_DISK = ["fsync=on", "synchronous_commit=on", "full_page_writes=on"]

const PARTY = { names: ["Harbor Light Instruments LLC"], identifiers: ["lei:5493001KJTIIGC8Y1R12", "uei:ZQGGHJH74DW7"] }
const NAMES = partyKeys(PARTY)
/** One answer in a thousand is of a payer and a supplier that many have, and one product and decision are rare. */
const FILTERS: Readonly<Record<string, Partial<SoldFilter>>> = {
  all: {},
  payer: { payer: "payer-7" },
  transaction: { tx: "tx-777" },
  product: { product: "product-3" },
  "product and decision": { product: "product-3", decision: "BLOCK" },
  decision: { decision: "BLOCK" },
  supplier: { partyKey: NAMES[0] ?? "" },
  "a payer with 500,000, no BLOCK": { payer: "payer-large", decision: "NONE" },
}

async function fill({ write }: TestDatabase): Promise<void> {
  const numbers =
    engine === "sqlite"
      ? `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${ROWS})`
      : `WITH counted AS (SELECT n FROM generate_series(1, ${ROWS}) n)`
  const at =
    engine === "sqlite"
      ? "strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + n, 'unixepoch')"
      : `to_char(to_timestamp(1700000000 + n) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"')`
  await write(`INSERT INTO sold_answer (seq, request_id, sold_at, product, decision, payer, tx, answer_id, delivery_reference, supplier, listed)
    ${numbers} SELECT n, 'drq_' || n, ${at}, 'product-' || (n % 9), CASE WHEN n % 50 = 0 THEN 'BLOCK' ELSE 'ALLOW' END,
    CASE WHEN n % 2 = 0 THEN 'payer-large' ELSE 'payer-' || (n % 1000) END, 'tx-' || n, 'dec_' || n, 'dlv_' || n, 'Harbor Light Instruments LLC', 1 FROM counted`)
  for (const [at, key] of NAMES.entries()) {
    await write(
      `INSERT INTO sold_party (party_key, sold_at, seq)
        SELECT CASE WHEN seq % 1000 = 0 THEN '${key}' ELSE 'key-${at}-' || (seq % 20000) END, sold_at, seq FROM sold_answer`,
    )
  }
  if (engine === "postgres") await write("ANALYZE sold_answer, sold_party")
}

async function pages(store: Store): Promise<void> {
  for (const [name, given] of Object.entries(FILTERS)) {
    const filter = { partyKey: null, tx: null, payer: null, product: null, decision: null, ...given }
    const range = { since: "", before: { soldAt: "~", seq: 0 }, limit: PAGE }
    const times: number[] = []
    let found = 0
    // The first ones prepare what later ones reuse.
    for (let run = -WARM_UP; run < RUNS; run++) {
      const start = performance.now()
      found = (await findSold(store, filter, range)).answers.length
      const took = performance.now() - start
      if (run >= 0 || took > SLOW_MS) times.push(took)
      if (took > SLOW_MS && run > 2 - WARM_UP) break
    }
    console.log(`${name.padEnd(34)} ${String(found).padStart(4)} answers ${median(times).toFixed(3)} ms`)
  }
}

/** With what a Payment Decision remembers. */
function* deliver(name: string, isListed: boolean): Unit<void> {
  yield* deliverPaid(name)
  const supplierId = yield* joinSupplier({
    ownerId: `o${name}`,
    requestId: `drq_${name}`,
    naming: { keys: PARTY.identifiers, nameKey: legalNameKey(PARTY.names[0] ?? ""), entityId: null },
    destination: "destination",
    decidedAt: LATER,
    keyId: "key",
    registered: [],
    isVerified: false,
  })
  const digests = {
    documentDigest: name,
    instructionDigest: name,
    payeeFingerprint: name,
    destinationFingerprint: name,
  }
  yield* keepRecord({
    ...{ requestId: `drq_${name}`, organizationId: `o${name}`, supplierKey: "k", supplierEntityId: "e", supplierId },
    ...{ supplierNameKey: "n", obligationKey: name, ...digests, mandateKeyId: "key", decision: "ALLOW" },
    ...{ decisionId: `dec_${name}`, responseDigest: name, decidedAt: LATER, validUntil: LATER },
  })
  if (!isListed) return
  const ids = { requestId: `drq_${name}`, answerId: `dec_${name}`, deliveryReference: `dlv_${name}` }
  const about = { product: "product-3", decision: "ALLOW", payer: `payer-${name}`, tx: `tx-${name}` }
  yield* keepSold({ ...ids, ...about, soldAt: new Date().toISOString() }, PARTY)
}

let made = 0

/** Milliseconds of one delivery, without and with the row. */
async function delivered(store: Store, isListed: boolean): Promise<number> {
  const name = `bench${made++}`
  await payFor(store, name, `p${name}`, `o${name}`)
  const start = performance.now()
  await store.run(() => deliver(name, isListed))
  return performance.now() - start
}

if (engine === "postgres") await startPostgres(WAITS_FOR_DISK)
const database = await newDatabaseOn(engine === "postgres" ? "postgres" : "sqlite")
await fill(database)
const { store } = await database.open()
await pages(store)
const times: { readonly without: number[]; readonly with: number[] } = { without: [], with: [] }
for (let round = -10; round < ROUNDS; round++) {
  const [before, after] = await inTurns(
    round,
    () => delivered(store, false),
    () => delivered(store, true),
  )
  // As the loop of a server that sells often.
  if (round % LISTED_EVERY === 0) await listWaiting(store)
  if (round < 0) continue
  times.without.push(before)
  times.with.push(after)
}
for (const share of [0.1, 0.25, 0.5, 0.75]) {
  const [before, after] = [quantile(times.without, share), quantile(times.with, share)]
  const line = `${before.toFixed(3)} ms without the row, ${after.toFixed(3)} ms with it: ${(after / before).toFixed(3)}`
  console.log(`delivering unit, quantile ${share}: ${line}`)
}
await store.close()
await database.close()
process.exit(0)
