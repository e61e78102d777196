/**
 * Rows come in a fixed order on every engine. SQLite gives rows that are equal in the order of their index; another engine gives them in any
 * order. So ORDER BY ends with a column that tells them apart, and a statement that gives several rows without an order is one whose reader
 * does not care.
 */
import { expect, test } from "bun:test"
import { openInMemory } from "../../db/schema-image.ts"
import { tableNames } from "../fixtures/table-names.ts"
import { everyQuery, type StoreQuery } from "./every-query.ts"

const WHETHER_ANY = "asks whether there is one"
const ADDED_UP = "the reader counts or adds up"
const BY_NAME = "the reader finds each row by its name"
const SORTED = "the reader sorts them"

/** Statements that may give several rows without an order, each with the reason why it does not matter. */
const ANY_ORDER: Readonly<Record<string, string>> = {
  "message-facts.ts facts": "one row",
  "offers.ts delivered": WHETHER_ANY,
  "delegations.ts owned": WHETHER_ANY,
  "holds.ts holders": BY_NAME,
  "holds.ts heldRanges": BY_NAME,
  "holds.ts unspent": WHETHER_ANY,
  "suppressions.ts existing": WHETHER_ANY,
  "list-bytes.ts naming": "asks only whether there is one",
  "mail-in.ts waiting": ADDED_UP,
  "jobs.ts waitingOfClient": ADDED_UP,
  "delegations.ts ofOwner": "the reader makes a set of them",
  "buyer-revocations.ts bySubject": "one row",
  "compromised-keys.ts lostKeys": BY_NAME,
  "compromised-keys.ts delegatedAgents": BY_NAME,
  "delegation-use.ts daysFrom": ADDED_UP,
  "agent-challenge.ts outstandingOfClient": ADDED_UP,
  "transparency-log.ts headRow": "one row",
  "transparency-log.ts sizeOnly": "one row",
  "transparency-log.ts nodesAt": BY_NAME,
  "transparency-log.ts leavesIn": BY_NAME,
  "suppressions.ts inForce": ADDED_UP,
  "suppressions.ts kindsOf": WHETHER_ANY,
  "attempts.ts byPayload": "a payload has one nonce, and an attempt with the nonce is unique",
  "relayer-ledger.ts transactions": SORTED,
  "authorization-records.ts ofRequests": BY_NAME,
  "authorization-records.ts ofResponse": "a response names its request, so one request has its digest",
  "token-moves.ts holders": WHETHER_ANY,
  "record-anchors.ts ofRecord": WHETHER_ANY,
  "supplier-sets.ts named": BY_NAME,
  "supplier-sets.ts ofRoot": SORTED,
  "review-cases.ts stored": BY_NAME,
  "review-export.ts casesOf": SORTED,
  "review-export.ts judgementsOf": SORTED,
  "sold-fill.ts references": BY_NAME,
  "sources.ts times": BY_NAME,
  "wallet-pages.ts documents": BY_NAME,
}

/** Orders that a rule of the table makes unique although no columns of a key are in them. */
const UNIQUE_OTHERWISE: Readonly<Record<string, string>> = {
  "beacon-counters.ts since": "GROUP BY these columns",
  "decision-counts.ts sums": "GROUP BY these columns",
  "attempt-counts.ts sums": "GROUP BY this column",
  "log-map.ts neighbours": "map_key is the key",
  "sales-switches.ts newestOfAll": "id is the key",
}

interface Column {
  readonly table: string
  readonly column: string
}

const database = openInMemory("2026-01-01T00:00:00.000Z")
const keys = new Map(tableNames().map((table) => [table, keysOf(table)]))
const queries = everyQuery()
const reads = queries.filter(({ sql }) => sql.startsWith("select "))

/** Sets of columns of which no two rows have equal values. A partial index counts: the statement has its condition, or few rows are outside. */
function keysOf(table: string): string[][] {
  const names = (from: string, of: string) =>
    database
      .query<{ name: string }, [string]>(`SELECT name FROM ${from}`)
      .all(of)
      .map(({ name }) => name)
  const primary = names("pragma_table_info(?) WHERE pk > 0", table)
  const unique = names(`pragma_index_list(?) WHERE "unique" = 1`, table)
  return [primary, ...unique.map((index) => names("pragma_index_info(?)", index))].filter(({ length }) => length > 0)
}

function columnsIn(text: string, form: RegExp): Column[] {
  return [...text.matchAll(form)].map(([, table = "", column = ""]) => ({ table, column }))
}

/** Whether no two rows of a table are equal in these columns. */
function tellApart(table: string, columns: readonly Column[]): boolean {
  const has = (name: string) => columns.some((one) => one.table === table && one.column === name)
  return (keys.get(table) ?? []).some((key) => key.every(has))
}

/** Columns whose value is the same in every row that the statement reads. */
const fixedIn = (sql: string) => columnsIn(sql, /"(\w+)"\."(\w+)" = (?:\?|'[^']*'|\d+|"\w+"\."\w+")/g)

function isOrderUnique({ sql }: StoreQuery): boolean {
  return [...sql.matchAll(/ order by (.*?)(?= limit |\)| union |$)/g)].every(([, order = ""]) => {
    const columns = columnsIn(order, /"(\w+)"\."(\w+)"/g)
    return columns.some(({ table }) => tellApart(table, [...columns, ...fixedIn(sql)]))
  })
}

/** Whether it gives at most one row of its first table. */
function givesOne({ sql }: StoreQuery): boolean {
  if (sql.includes(" union ")) return false
  const withoutColumns = sql.replace(/\(select [^()]*\)/g, "")
  return tellApart(/ from "(\w+)"/.exec(withoutColumns)?.[1] ?? "", fixedIn(sql))
}

test("each order ends with a column that tells equal rows apart", () => {
  const open = reads.filter((one) => !isOrderUnique(one)).map(({ name }) => name)
  expect(open).toEqual(queries.map(({ name }) => name).filter((name) => name in UNIQUE_OTHERWISE))
})

test("a statement that may give several rows has an order, or a reader who does not care", () => {
  const open = reads.filter((one) => !one.sql.includes(" order by ") && !givesOne(one)).map(({ name }) => name)
  expect(open.toSorted()).toEqual(Object.keys(ANY_ORDER).toSorted())
})

test("an order that leaves rows equal is found: a test of the tests above", () => {
  const of = (sql: string) => ({ name: "", sql, postgres: "", noting: null, placeholders: [] })
  expect(isOrderUnique(of(`select 1 from "agent" order by "agent"."head_accepted_at"`))).toBe(false)
  expect(isOrderUnique(of(`select 1 from "agent" order by "agent"."head_accepted_at", "agent"."agent_id"`))).toBe(true)
  expect(givesOne(of(`select 1 from "agent" where "agent"."agent_id" = ?`))).toBe(true)
  expect(givesOne(of(`select 1 from "agent" where "agent"."identity_status" = ?`))).toBe(false)
})
