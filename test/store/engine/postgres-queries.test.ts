/** Every query of the store on a real PostgreSQL: that it prepares, and what its plan reads. */
import { describe, expect } from "bun:test"
import { existsSync } from "node:fs"
import { type ReservedSQL, SQL } from "bun"
import { migratePostgres } from "../../../db/postgres/migrate-postgres.ts"
import { HAS_POSTGRES, NOT_RUN, POSTGRES_15, startPostgres } from "../../fixtures/postgres.ts"
import { onReserved } from "../../fixtures/postgres-schema.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { BOUNDED_TABLES } from "../bounded-tables.ts"
import { everyQuery } from "../every-query.ts"

const test = slowTests(import.meta.path)

const SETTINGS = ["plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off"]
/** In an empty table a look-up by an index costs as much as to read it all for a join. In a table with rows it costs less. */
const AS_IN_LARGE_TABLES = ["enable_hashjoin = off", "enable_mergejoin = off"]

const BOUNDED: Readonly<Record<string, string>> = {
  ...BOUNDED_TABLES,
  acp_look: "one row for each process that serves",
}

const EMPTY = "the table is empty here, so a small index costs as much as the primary key"
const FEW_ROWS = "sorts a bounded number of rows"
const EQUAL = "sorts rows that are equal in what the index gives the order by"

/** Steps of a plan that read a whole table or index, or sort rows, each with the reason why it is harmless. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "message-facts.ts facts": {
    "Index Only Scan on sales_switch using sales_switch_pkey": "EXISTS ends it after the first row",
  },
  "messages.ts nthTurn": { "Incremental Sort": EQUAL },
  "buyers.ts all": { "Index Scan on organization using organization_pkey": "the operator's list of all of them" },
  "buyers.ts keysOf": { Sort: `${FEW_ROWS}: keys an operator entered for one organization` },
  "delegations.ts ofKey": { Sort: `${FEW_ROWS}: 200 delegations of one key` },
  "instances.ts all": { Sort: `${FEW_ROWS}: the processes that served within a day` },
  "purge-round.ts due": { Sort: `${FEW_ROWS}: one` },
  "purge-round.ts ahead": { Sort: `${FEW_ROWS}: one` },
  "admit.ts purge": { "Incremental Sort": EQUAL },
  "agent-challenge.ts openUncounted": { "Incremental Sort": EQUAL },
  "log-map.ts branchesAt": { Sort: `${FEW_ROWS}: the branches above one key` },
  "agent-identity.ts identityWithKeys": { Sort: `${FEW_ROWS}: the keys of one identity` },
  "service-keys.ts all": { Sort: `${FEW_ROWS}: the service's own keys` },
  "service-keys.ts byUse": { Sort: `${FEW_ROWS}: the service's own keys` },
  "review-sessions.ts ofSession": { Sort: `${FEW_ROWS}: 20 challenges of one session` },
  "job-facts.ts ofJob": { Sort: `${FEW_ROWS}: the facts of one job` },
  "channel.ts checks": { "Incremental Sort": EQUAL },
  "job-actions.ts ofAction": { Sort: `${FEW_ROWS}: 64 transactions of one action` },
  "jobs.ts numbered": { Sort: `${FEW_ROWS}: jobs with one number, one a contract` },
  "lost-transfers.ts unexplained": { "Incremental Sort": EQUAL },
  "source-acceptances.ts publishedContent": { "Incremental Sort": EQUAL },
  "source-acceptances.ts publishedRaw": { "Incremental Sort": EQUAL },
  "holds.ts stray": {
    "Index Only Scan on authority_hold using authority_hold_stray":
      "the index has only holds of requests without an attempt, which replacements take for the seconds they are computed",
  },
  "attempt-watch.ts owed": {
    "Index Scan on payment_attempt using payment_attempt_owed":
      "its LIMIT ends the join after the first rows of an index",
  },
  "jobs.ts replace": { "Index Scan on acp_job using acp_job_of_number": EMPTY },
  "suppressions.ts all": {
    Sort: "the operator's list of all of them",
    "Index Scan on suppression using suppression_pkey": "the operator's list of all of them",
  },
  "suppressions.ts unrevoked": { Sort: `${FEW_ROWS}: 10,000 may be in force` },
  "supplier-statements.ts disputed": { "Incremental Sort": EQUAL },
  "sources.ts active": {
    "Index Scan on source_snapshot using source_snapshot_one_active": "the index has one row a source",
  },
  "sources.ts times": {
    "Index Scan on source_snapshot using source_snapshot_one_active": "the index has one row a source",
  },
}

const queries = everyQuery()

async function refused(connection: ReservedSQL): Promise<string[]> {
  const found: string[] = []
  const texts = queries.flatMap(({ name, postgres, noting }) =>
    [postgres, ...(noting === null ? [] : [noting])].map((text) => ({ name, text })),
  )
  for (const { name, text } of texts) {
    try {
      await connection.unsafe(`PREPARE one AS ${text}`).simple()
      await connection.unsafe("DEALLOCATE one").simple()
    } catch (error) {
      found.push(`${name}: ${error}: ${text}`)
    }
  }
  return found
}

/** A node of EXPLAIN (FORMAT JSON). */
interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly Filter?: string
  readonly Plans?: readonly PlanNode[]
}

/** Nodes that read all of a table or index, and nodes that sort. One whose LIMIT ends it after the first rows of an index is none. */
function suspiciousSteps(node: PlanNode, above: PlanNode | null = null): { step: string; table: string }[] {
  const { "Node Type": type, "Relation Name": table, "Index Name": index, Plans: parts = [] } = node
  const isEndedEarly = above?.["Node Type"] === "Limit" && node.Filter === undefined
  const reads = table !== undefined && type.endsWith("Scan") && node["Index Cond"] === undefined && !isEndedEarly
  const step = reads ? `${type} on ${table}${index === undefined ? "" : ` using ${index}`}` : type
  return [
    ...(reads || type.endsWith("Sort") ? [{ step, table: table ?? "" }] : []),
    ...parts.flatMap((part) => suspiciousSteps(part, node)),
  ]
}

async function planOf(connection: ReservedSQL, text: string): Promise<PlanNode> {
  const [row] = await connection.unsafe(`EXPLAIN (GENERIC_PLAN, FORMAT JSON, COSTS OFF) ${text}`).simple()
  return row["QUERY PLAN"][0].Plan
}

describe.skipIf(!HAS_POSTGRES)(`PostgreSQL 18${NOT_RUN}`, () => {
  test("prepares every query of the store", async () => {
    expect(queries.length).toBeGreaterThan(400)
    await onReserved(async (connection) => expect(await refused(connection)).toEqual([]))
  }, 90_000)

  test("reads no whole growing table, and sorts no unbounded number of rows", async () => {
    await onReserved(async (connection) => {
      for (const setting of [...SETTINGS, ...AS_IN_LARGE_TABLES]) await connection.unsafe(`SET ${setting}`)
      const steps: { name: string; step: string; table: string }[] = []
      for (const { name, postgres } of queries) {
        const plan = await planOf(connection, postgres)
        steps.push(...suspiciousSteps(plan).map((found) => ({ name, ...found })))
      }
      const found = steps.filter(({ name, step, table }) => !(table in BOUNDED) && !(step in (ALLOWED[name] ?? {})))
      expect(found.map(({ name, step }) => `${name}: ${step}`)).toEqual([])
      const listed = Object.entries(ALLOWED).flatMap(([name, allowed]) =>
        Object.keys(allowed).map((step) => ({ name, step })),
      )
      const isMet = (one: { name: string; step: string }) =>
        steps.some(({ name, step }) => name === one.name && step === one.step)
      expect(listed.filter((one) => !isMet(one))).toEqual([])
      expect(Object.keys(BOUNDED).filter((name) => !steps.some(({ table }) => table === name))).toEqual([])
    })
  }, 90_000)

  test("a scan and a sort are found: a test of the test above", async () => {
    await onReserved(async (connection) => {
      for (const setting of SETTINGS) await connection.unsafe(`SET ${setting}`)
      const plan = await planOf(connection, "select nonce from used_nonce where expires_at = $1 order by nonce")
      expect(suspiciousSteps(plan).map(({ step }) => step)).toEqual(["Sort", "Seq Scan on used_nonce"])
    })
  })
})

const hasOldest = existsSync(POSTGRES_15)

describe.skipIf(!hasOldest)(`PostgreSQL 15${hasOldest ? "" : ` (NOT RUN: no ${POSTGRES_15})`}`, () => {
  test("prepares every query of the store", async () => {
    const server = await startPostgres([], POSTGRES_15)
    const sql = new SQL(server.url, { max: 1 })
    try {
      const connection = await sql.reserve()
      await migratePostgres(connection, "2026-01-01T00:00:00.000Z")
      expect(await refused(connection)).toEqual([])
    } finally {
      await sql.close({ timeout: 0 })
      await server.stop()
    }
  }, 90_000)
})
