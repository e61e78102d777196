/** The migration that makes the identity sets of the authorizations that an older database stores (rulings 89). */
import type { Database } from "bun:sqlite"
import { afterEach, beforeEach, describe, expect } from "bun:test"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const LAST_BEFORE = migrations.findIndex(({ name }) => name === "0043_identity_sets")
const CREATED = "2026-01-01T00:00:00.000Z"
const ORGANIZATION = "org:example:buyer"
const PAYER = `0x${"11".repeat(20)}`

interface Stored {
  readonly id: string
  readonly identifiers: Readonly<Record<string, string>>
  readonly name?: string
  readonly entity?: string
  /** Minutes after {@link CREATED}. */
  readonly minute: number
  readonly decision?: string
}

let directory: ReturnType<typeof freshDirectory>
let database: Database
beforeEach(() => {
  directory = freshDirectory()
  database = older("older.db")
})
afterEach(() => {
  database.close()
  directory[Symbol.dispose]()
})

/** A database of the release before the migration. */
function older(name: string): Database {
  const opened = openDatabase(join(directory.path, name))
  migrate(opened, CREATED, migrations.slice(0, LAST_BEFORE))
  return opened
}

const timeOf = (minute: number) => new Date(Date.parse(CREATED) + minute * 60_000).toISOString()

function insert(table: string, row: Readonly<Record<string, string | null>>): void {
  const names = Object.keys(row)
  database
    .query(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map((name) => `$${name}`).join(", ")})`)
    .run({ ...row })
}

function insertRequest({ id, minute }: Stored, scope: string, body: object): void {
  const digests = { request_digest: id, body_digest: id }
  const times = { created_at: timeOf(minute), updated_at: timeOf(minute) }
  const keys = { id, product: "p", scope, idempotency_key: id, state: "NEW" }
  insert("decision_request", { ...keys, ...digests, ...times, request_json: JSON.stringify(body) })
}

function decided(stored: Stored): void {
  const { id, identifiers, name = "Alder Bridge Tools LLC", entity = "e1", minute, decision = "ALLOW" } = stored
  insertRequest(stored, ORGANIZATION, { supplier: { legal_name: name, entity_id: entity, identifiers } })
  insert("authorization_record", {
    request_id: id,
    organization_id: ORGANIZATION,
    supplier_key: "k",
    supplier_entity_id: entity,
    supplier_name_key: name.toLowerCase().replaceAll(/[^a-z]/g, ""),
    obligation_key: id,
    document_digest: id,
    instruction_digest: id,
    payee_fingerprint: "x",
    destination_fingerprint: "x",
    mandate_key_id: "mandate-key",
    decision,
    decision_id: id,
    response_digest: id,
    decided_at: timeOf(minute),
    valid_until: timeOf(minute),
  })
}

function answered(stored: Stored): void {
  const { id, identifiers, name = "", minute, decision = "APPROVE" } = stored
  insertRequest(stored, PAYER, { company: { identifiers } })
  insert("answer_record", {
    request_id: id,
    product: "p",
    owner: PAYER,
    organization_id: ORGANIZATION,
    key_id: "change-key",
    execution_id: id,
    core_digest: id,
    subject: "k",
    name_key: name,
    decision,
    decided_at: timeOf(minute),
    valid_until: timeOf(minute),
  })
}

const rowsOf = (of: Database, sql: string) => of.query(sql).values()
const filled = () => migrate(database, timeOf(0))
const identifiers = (owner = ORGANIZATION) =>
  rowsOf(database, `SELECT key, supplier_id, grade FROM supplier_identifier WHERE owner_id = '${owner}' ORDER BY key`)
const suppliers = () => rowsOf(database, "SELECT supplier_id, disputed FROM supplier ORDER BY supplier_id")
const supplierOf = (id: string) =>
  database
    .query<{ supplier_id: string | null }, [string]>(
      "SELECT supplier_id FROM authorization_record WHERE request_id = ?1",
    )
    .get(id)?.supplier_id

const [UEI, UEI_2, CAGE, CAGE_2] = ["XAMPLE222222", "XAMPLE333333", "7AAA1", "7AAA2"]

describe("records are read in the order (decided_at, request_id), whatever the order of their rows:", () => {
  test("the earlier one makes the set and its anchor, and the later one adds an identifier", () => {
    decided({ id: "drq_a", identifiers: { uei: UEI, cage: CAGE }, minute: 2 })
    decided({ id: "drq_b", identifiers: { uei: UEI }, minute: 1 })
    filled()
    expect(identifiers()).toEqual([
      [`cage:${CAGE}`, "drq_b", "ADDED"],
      [`uei:${UEI}`, "drq_b", "ANCHOR"],
    ])
    expect([supplierOf("drq_a"), supplierOf("drq_b")]).toEqual(["drq_b", "drq_b"])
  })

  test("two of one time are ordered by their request, decisions and answers together", () => {
    decided({ id: "drq_b", identifiers: { uei: UEI }, name: "", minute: 1 })
    answered({ id: "drq_a", identifiers: { cage: CAGE, uei: UEI }, minute: 1 })
    filled()
    expect(identifiers()).toEqual([
      [`cage:${CAGE}`, "drq_a", "ANCHOR"],
      [`uei:${UEI}`, "drq_a", "ANCHOR"],
    ])
    expect(identifiers(PAYER).map(([key]) => key)).toEqual([`cage:${CAGE}`, `uei:${UEI}`])
  })
})

test.each(["HOLD", "BLOCK", "UNDETERMINED"])("a decision %s joins nothing and belongs to no set", (decision) => {
  decided({ id: "drq_a", identifiers: { uei: UEI, cage: CAGE }, minute: 1, decision })
  answered({ id: "drq_b", identifiers: { uei: UEI, cage: CAGE }, minute: 2, decision: "REVIEW" })
  filled()
  expect([suppliers(), identifiers(), rowsOf(database, "SELECT * FROM record_anchor")]).toEqual([[], [], []])
  expect(supplierOf("drq_a")).toBeNull()
})

describe("what would have been a collision becomes two disputed sets:", () => {
  const known = () => {
    decided({ id: "drq_a", identifiers: { uei: UEI, cage: CAGE }, minute: 1 })
    decided({ id: "drq_b", identifiers: { uei: UEI_2 }, name: "Quarry Seven Pumps Inc", entity: "e2", minute: 2 })
  }
  const disputed = () => suppliers().flatMap(([id, mark]) => (mark === 1 ? [id] : []))

  test("identifiers of two sets", () => {
    known()
    decided({ id: "drq_c", identifiers: { uei: UEI_2, cage: CAGE }, name: "", minute: 3 })
    filled()
    expect(disputed()).toEqual(["drq_a", "drq_b"])
    expect(identifiers().map(([key, supplier]) => [key, supplier])).toEqual([
      [`cage:${CAGE}`, "drq_a"],
      [`uei:${UEI}`, "drq_a"],
      [`uei:${UEI_2}`, "drq_b"],
    ])
  })

  test("a second value of a scheme, which gets a set of its own under the same name", () => {
    known()
    decided({ id: "drq_c", identifiers: { uei: UEI, cage: CAGE_2 }, minute: 3 })
    filled()
    expect(disputed()).toEqual(["drq_a", "drq_c/2"])
    expect(identifiers()).toContainEqual([`cage:${CAGE_2}`, "drq_c/2", "ADDED"])
    expect(rowsOf(database, "SELECT name_key FROM supplier_name WHERE supplier_id = 'drq_c/2'")).toHaveLength(1)
  })

  test("another name, and another set's entity id", () => {
    known()
    decided({ id: "drq_c", identifiers: { uei: UEI }, name: "Violet Marsh Foods Corp", minute: 3 })
    filled()
    expect(disputed()).toEqual(["drq_a"])
    database.close()
    database = older("entity.db")
    known()
    decided({ id: "drq_c", identifiers: { uei: UEI }, entity: "e2", minute: 3 })
    filled()
    expect(disputed()).toEqual(["drq_a", "drq_b"])
  })

  test("records that agree are not disputed", () => {
    known()
    decided({ id: "drq_c", identifiers: { cage: CAGE }, entity: "e3", minute: 3 })
    filled()
    expect(disputed()).toEqual([])
  })
})

const TABLES = [
  "supplier",
  "supplier_identifier",
  "supplier_name",
  "supplier_entity",
  "supplier_distinct",
  "record_anchor",
] as const
const MADE = [
  ...TABLES.map((table) => `SELECT * FROM ${table}`),
  "SELECT request_id, supplier_id FROM authorization_record ORDER BY request_id",
]
const RECORDS = 20_000

test(`killed in the middle of ${RECORDS} records, it leaves nothing, and the next start makes the same sets`, async () => {
  database.transaction(() => {
    for (let n = 0; n < RECORDS; n++) {
      // Every fourth one of a supplier names another identifier, and some contradict it.
      const supplier = Math.floor(n / 4)
      const uei = `X${String(supplier).padStart(11, "2")}`
      const cage = `7${(supplier + (n % 61 === 0 ? 1 : 0)).toString(36).toUpperCase().padStart(4, "A")}`
      const pair = n % 4 === 0 ? { uei } : n % 4 === 3 ? { cage } : { uei, cage }
      decided({ id: `drq_${n}`, identifiers: pair, name: `Firm ${uei}`, entity: `e${supplier}`, minute: n })
    }
  })()
  database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  const [path, undisturbed] = ["older.db", "undisturbed.db"].map((name) => join(directory.path, name)) as [
    string,
    string,
  ]
  copyFileSync(path, undisturbed)

  const child = Bun.spawn([process.execPath, join(import.meta.dir, "filling-process.ts"), path], { stdout: "pipe" })
  const output = child.stdout.getReader()
  expect(new TextDecoder().decode((await output.read()).value)).toBe("filling\n")
  await Bun.sleep(100)
  child.kill("SIGKILL")
  await child.exited
  expect((await output.read()).value).toBeUndefined()
  expect(rowsOf(database, "SELECT name FROM sqlite_schema WHERE name = 'supplier'")).toEqual([])

  const other = openDatabase(undisturbed)
  const begun = performance.now()
  migrate(other, timeOf(0))
  const seconds = (performance.now() - begun) / 1000
  filled()
  for (const sql of MADE) expect(rowsOf(database, sql)).toEqual(rowsOf(other, sql))
  expect(suppliers().length).toBeGreaterThan(RECORDS / 5)
  expect(suppliers().some(([, mark]) => mark === 1)).toBe(true)
  other.close()
  // Measured: 2 s on two shared cores. A search through all records for each of them would take minutes.
  expect(seconds).toBeLessThan(30)
  if (process.env["BIZAUTH_LONG"] === "1") console.info(`${RECORDS} records: ${seconds.toFixed(1)} s`)
}, 120_000)
