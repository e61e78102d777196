/** A database of the release that did not store sums and queues. After the migration the stored ones must match its rows. */
import type { Database } from "bun:sqlite"
import { expect } from "bun:test"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { delegationUse } from "../../src/store/buyers/delegation-use.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { takeAbandoned } from "../../src/store/payments/attempt-leases.ts"
import { takeDuePolls } from "../../src/store/payments/attempt-watch.ts"
import { spentChangesOf } from "../../src/store/sales/change-authorizations.ts"
import { dropStrayHolds, holdConflict } from "../../src/store/sales/holds.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { besideOf } from "../fixtures/test-database.ts"
import { keptSums, sumsOverRows } from "../store/money-sums.ts"

const test = slowTests(import.meta.path)

const LAST_BEFORE = 18
const AT = "2026-01-02T00:00:00.000Z"
const LATER = "2026-01-02T00:10:00.000Z"

type Row = Readonly<Record<string, string | number | null>>

function insert(database: Database, table: string, row: Row): void {
  const names = Object.keys(row)
  const places = names.map((name) => `$${name}`).join(", ")
  database.query(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${places})`).run({ ...row })
}

/** A request, `drq_N`, and an attempt, `att_N`, for each row given. */
function addSale(database: Database, n: number, request: Row, attempt: Row | null): void {
  insert(database, "decision_request", {
    id: `drq_${n}`,
    product: "p",
    scope: "s",
    idempotency_key: `key-${n}`,
    request_digest: `request-${n}`,
    body_digest: "b",
    request_json: "{}",
    state: "NEW",
    created_at: AT,
    updated_at: AT,
    ...request,
  })
  if (attempt === null) return
  insert(database, "payment_attempt", {
    id: `att_${n}`,
    request_id: `drq_${n}`,
    chain_id: 8453,
    asset: "usdc",
    payer: "payer",
    nonce: `nonce-${n}`,
    pay_to: "to",
    value: "790000",
    valid_after: 0,
    valid_before: 1,
    max_timeout_seconds: 300,
    quote_id: "q",
    payload_sha256: `sha-${n}`,
    payer_has_code: 0,
    settler: "self",
    watched: 0,
    created_at: AT,
    updated_at: AT,
    ...attempt,
  })
}

/** Amounts of nine digits and more, with zeros where two halves join, and with a sum of more than 64 bits. */
const AMOUNTS = ["1", "999999999", "1000000000", "5000000001", "9223372036854775807", "123456789012345678901234", null]
const STATES = ["RESERVED", "VERIFIED", "SETTLING", "SETTLED", "FAILED", "RELEASED", "PAID_OWED"]

async function olderDatabase(fill: (database: Database) => void) {
  const directory = freshDirectory()
  const database = openDatabase(`${directory.path}/bizauth.db`)
  migrate(
    database,
    AT,
    migrations.filter(({ ordinal }) => ordinal <= LAST_BEFORE),
  )
  fill(database)
  migrate(database, AT)
  expect(database.query("PRAGMA foreign_key_check").all()).toEqual([])
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  return {
    database,
    store,
    [Symbol.asyncDispose]: async () => {
      await store.close()
      directory[Symbol.dispose]()
    },
  }
}

test("the sums of payers and delegations equal the sums over the rows, for every state and any length of amount", async () => {
  await using older = await olderDatabase((database) => {
    let n = 0
    for (const state of STATES) {
      for (const amount of AMOUNTS) {
        const delegations = [
          { delegation_id: "dlg_a", mandate_delegation_id: "dlg_a" },
          { delegation_id: "dlg_a", mandate_delegation_id: "dlg_b" },
          { mandate_delegation_id: "dlg_b" },
          {},
        ][n % 4]
        const day = n % 3 === 0 ? "2026-01-01T23:59:59.999Z" : AT
        const payer = n % 5 === 0 ? "another payer" : "payer"
        const attempt = { state, payer, value: amount ?? "790000", created_at: day }
        addSale(database, n++, { amount_millionths: amount, ...delegations }, attempt)
      }
    }
  })
  const expected = await sumsOverRows(besideOf(older.database))
  expect(await keptSums(besideOf(older.database))).toEqual(expected)
  expect(Object.keys(expected.totals)).toEqual(["dlg_a", "dlg_b"])
  expect(Math.max(...Object.values(expected.totals).map((sum) => String(sum).length))).toBeGreaterThan(20)
  expect(await older.store.read(() => delegationUse("dlg_a", "2026-01-02T00:00:00.000Z"))).toEqual({
    totalMillionths: expected.totals["dlg_a"] ?? 0n,
    requestsToday: expected.days["dlg_a 2026-01-02"] ?? 0,
  })
})

test("open attempts are taken over and ended attempts are watched as before the migration", async () => {
  await using older = await olderDatabase((database) => {
    const owner = { lease_owner: "other", lease_until: AT }
    addSale(database, 1, {}, { state: "SETTLING", created_at: "2026-01-01T00:00:02.000Z" })
    addSale(database, 2, {}, { state: "PAID_OWED", created_at: "2026-01-01T00:00:01.000Z" })
    addSale(database, 3, {}, { state: "RESERVED", ...owner })
    addSale(database, 4, {}, { state: "VERIFIED", ...owner, lease_until: "2026-01-02T00:11:00.000Z" })
    addSale(database, 5, {}, { state: "RELEASED", watched: 1 })
    addSale(database, 6, {}, { state: "SETTLED", finality: "INCLUDED" })
    addSale(database, 7, {}, { state: "SETTLED", finality: "SAFE" })
    addSale(database, 8, {}, { state: "FAILED" })
  })
  const lease = { owner: "mine", until: "2026-01-02T00:11:00.000Z" }
  const taken = await older.store.run(() => takeAbandoned(lease, LATER))
  expect(taken.map(({ id }) => id)).toEqual(["att_2", "att_1", "att_3"])
  const due = await older.store.run(() => takeDuePolls({ now: LATER, latest: LATER, nextPollAt: () => LATER }))
  expect(due.map(({ id }) => id)).toEqual(["att_5", "att_6"])
})

test("only the holds of a request without an attempt are stray", async () => {
  const hold = (n: number, spent: 0 | 1): Row => ({
    organization_id: "org",
    kind: "OBLIGATION",
    value: `inv-${n}`,
    request_id: `drq_${n}`,
    spent,
  })
  await using older = await olderDatabase((database) => {
    addSale(database, 1, {}, null)
    addSale(database, 2, {}, { state: "SETTLING" })
    addSale(database, 3, {}, { state: "PAID_OWED" })
    addSale(database, 4, {}, { state: "SETTLED" })
    for (const n of [1, 2, 3]) insert(database, "authority_hold", hold(n, 0))
    insert(database, "authority_hold", hold(4, 1))
  })
  await older.store.run(() => dropStrayHolds(LATER))
  const conflicts = await older.store.read(function* () {
    const found: boolean[] = []
    for (const n of [1, 2, 3, 4]) {
      found.push((yield* holdConflict("org", { kind: "OBLIGATION", value: `inv-${n}` }, null)) !== null)
    }
    return found
  })
  expect(conflicts).toEqual([false, true, true, true])
})

test("spent change authorizations are found for the organization that bought them", async () => {
  const token = (n: number, changes: Row): Row => ({
    token_hash: String(n).padStart(64, "0"),
    request_id: `drq_${n}`,
    execution_id: `exe_${n}`,
    product: "p",
    country: "US",
    kind: "VENDOR_CHANGE",
    binding_json: "{}",
    wallet: "w",
    evidence_reference: `core-${n}`,
    issued_at: AT,
    expires_at: LATER,
    state: "SPENT",
    changed_at: AT,
    ...changes,
  })
  const record = (n: number, organization: string | null): Row => ({
    request_id: `drq_${n}`,
    product: "p",
    owner: "w",
    organization_id: organization,
    execution_id: `exe_${n}`,
    core_digest: `core-${n}`,
    subject: "lei:1",
    name_key: "",
    destination_fingerprint: "d",
    decision: "APPROVE",
    decided_at: AT,
    valid_until: LATER,
  })
  await using older = await olderDatabase((database) => {
    for (const n of [1, 2, 3, 4]) addSale(database, n, {}, null)
    insert(database, "authorization_token", token(1, {}))
    insert(database, "authorization_token", token(2, { state: "ISSUED", changed_at: null }))
    insert(database, "authorization_token", token(3, {}))
    insert(database, "authorization_token", token(4, { kind: "PAYMENT" }))
    for (const n of [1, 2, 4]) insert(database, "answer_record", record(n, "org"))
    insert(database, "answer_record", record(3, null))
  })
  const found = await older.store.read(() => spentChangesOf("org", "lei:1"))
  expect(found.map(({ evidenceReference }) => evidenceReference)).toEqual(["core-1"])
})
