/** Every query of the store finds its rows by an index that also gives their order, so that a growing table does not slow it. */
import { expect, test } from "bun:test"
import { openInMemory } from "../../db/schema-image.ts"
import { codeOf, sourceFiles } from "../fixtures/imports.ts"
import { BOUNDED_TABLES } from "./bounded-tables.ts"
import { everyQuery } from "./every-query.ts"

const BOUNDED: Readonly<Record<string, string>> = {
  ...BOUNDED_TABLES,
  json_each: "the list that the caller gives",
}

const FIRST_OF_INDEX = "its LIMIT ends it after the first rows of an index in its own order"
/** SQLite would search for rows that named the new row earlier, but only while such rows are counted. Here keys are checked at once. */
const NO_CHILD_YET = "an inserted row has no rows that name it, and SQLite knows that"
const FEW_ROWS = "sorts a bounded number of rows"

const ONE_ROW = { "SCAN CONSTANT ROW": "one row without a table", "SCAN one_row": "the same row" }

/** Steps of a plan that look like a scan or a sort of many rows, each with the reason why it is harmless. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "signature-facts.ts records": ONE_ROW,
  "buyer-revocations.ts bySubject": ONE_ROW,
  "compromised-keys.ts lostKeys": ONE_ROW,
  "message-facts.ts facts": {
    ...ONE_ROW,
    "SCAN sales_switch": "EXISTS ends it after the first row",
  },
  "attempt-counts.ts move": { "SCAN 2-ROW VALUES CLAUSE": "its VALUES" },
  "register-answers.ts purge": { "SCAN register_answer": FIRST_OF_INDEX },
  "messages.ts purgeMarks": { "SCAN agent_message": FIRST_OF_INDEX },
  "messages.ts purge": { "SCAN agent_message": FIRST_OF_INDEX },
  "nonces.ts purge": { "SCAN used_nonce": FIRST_OF_INDEX },
  "messages.ts mark": { "SCAN 2 CONSTANT ROWS": "its VALUES" },
  "messages.ts markCounted": { "SCAN 3 CONSTANT ROWS": "its VALUES" },
  "purchase-moves.ts insert": { "SCAN delivery": NO_CHILD_YET },
  "attempt-moves.ts insert": { "SCAN payment_event": NO_CHILD_YET },
  "key-event-record.ts insertAgent": { "SCAN artifact_registration": NO_CHILD_YET },
  "attempt-leases.ts free": { "SCAN payment_attempt USING INDEX payment_attempt_free": FIRST_OF_INDEX },
  "sequenced-log.ts oldest": { "SCAN log_pending": FIRST_OF_INDEX },
  "sequenced-log.ts oldestDelivered": { "SCAN log_pending": FIRST_OF_INDEX },
  "sequenced-log.ts oldestId": { "SCAN log_pending": FIRST_OF_INDEX },
  "sequenced-log.ts newestId": { "SCAN log_pending": FIRST_OF_INDEX },
  "sold-answers.ts waiting": { "SCAN sold_waiting": FIRST_OF_INDEX },
  "sold-answers.ts anyWaiting": { "SCAN sold_waiting": FIRST_OF_INDEX },
  "sold-answers.ts newestSeq": { "SCAN sold_answer": FIRST_OF_INDEX },
  "review-cases.ts newestNumber": { "SCAN review_case": FIRST_OF_INDEX },
  "review-records.ts newest": { "SCAN review_record": FIRST_OF_INDEX },
  "review-register.ts everyReviewer": {
    "SCAN reviewer USING INDEX sqlite_autoindex_reviewer_1": "the operator's list of all of them, at most 100",
  },
  "review-register.ts everyKey": {
    "SCAN reviewer_key USING INDEX sqlite_autoindex_reviewer_key_1": "the register, at most ten keys of 100 persons",
  },
  "review-register.ts newestPolicy": { "SCAN review_policy": FIRST_OF_INDEX },
  "review-sessions.ts ofSession": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: 20 challenges of one session` },
  "unsettled-attempts.ts unpaid": { "SCAN newest": "at most 32 rows, the first of their index" },
  "newest-payment.ts newest": { "SCAN payment_event": FIRST_OF_INDEX },
  "channel.ts newestSwitch": { "SCAN acp_switch": FIRST_OF_INDEX },
  "channel.ts checks": { "SCAN acp_look USING INDEX acp_look_at": "one row for each process that serves" },
  "attempt-watch.ts owed": { "SCAN payment_attempt USING INDEX payment_attempt_owed": FIRST_OF_INDEX },
  "holds.ts stray": {
    "SCAN authority_hold USING COVERING INDEX authority_hold_stray":
      "the index has only holds of requests without an attempt, which replacements take for the seconds they are computed",
  },
  "sources.ts active": {
    "SCAN source_snapshot USING INDEX source_snapshot_one_active": "the index has one row a source",
  },
  "sources.ts times": {
    "SCAN source_snapshot USING INDEX source_snapshot_one_active": "the index has one row a source",
  },
  "source-history.ts acceptances": { "SCAN source_acceptance": FIRST_OF_INDEX },
  "source-history.ts changes": { "SCAN source_event": FIRST_OF_INDEX },
  "source-history.ts health": { "SCAN source_health_event": FIRST_OF_INDEX },
  "suppressions.ts all": {
    "SCAN suppression USING INDEX sqlite_autoindex_suppression_1": "the operator's list of all of them",
    "USE TEMP B-TREE FOR ORDER BY": "the operator's list of all of them",
  },
  "instances.ts all": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: the processes that served within a day` },
  "purge-round.ts due": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: one` },
  "purge-round.ts ahead": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: one` },
  "job-actions.ts ofAction": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: 64 transactions of one action` },
  "jobs.ts numbered": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: jobs with one number, one a contract` },
  "source-acceptances.ts publishedContent": {
    "USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY": `${FEW_ROWS}: of one content retrieved at one instant`,
  },
  "source-acceptances.ts publishedRaw": {
    "USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY": `${FEW_ROWS}: of the same bytes retrieved at one instant`,
  },
  "suppressions.ts unrevoked": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: 10,000 may be in force` },
  "buyers.ts all": {
    "SCAN organization USING INDEX sqlite_autoindex_organization_1": "the operator's list of all of them",
  },
  "buyers.ts keysOf": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: keys an operator entered for one organization` },
  "delegations.ts ofKey": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: 200 delegations of one key` },
  "agent-challenge.ts openUncounted": {
    "USE TEMP B-TREE FOR LAST TERM OF ORDER BY": `${FEW_ROWS}: 8 open challenges of one identity`,
  },
  "agent-identity.ts identityWithKeys": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: the keys of one identity` },
  "service-keys.ts all": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: the service's own keys` },
  "service-keys.ts byUse": { "USE TEMP B-TREE FOR ORDER BY": `${FEW_ROWS}: the service's own keys` },
}

const database = openInMemory("2026-01-01T00:00:00.000Z")
const queries = everyQuery()

function planOf(sql: string): string[] {
  return database
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail)
}

const suspicious = (step: string) => step.startsWith("SCAN ") || step.startsWith("USE TEMP B-TREE")
const tableOf = (step: string) => step.split(" ")[1] ?? ""

const steps = queries.flatMap(({ name, sql }) => planOf(sql).map((step) => ({ name, step })))

test("no query of the store reads a whole growing table or sorts an unbounded number of rows", () => {
  expect(queries.length).toBeGreaterThan(200)
  const found = steps
    .filter(({ step }) => suspicious(step) && !(tableOf(step) in BOUNDED))
    .filter(({ name, step }) => !(step in (ALLOWED[name] ?? {})))
  expect(found.map(({ name, step }) => `${name}: ${step}`)).toEqual([])
})

test("every listed exception is needed", () => {
  const listed = Object.entries(ALLOWED).flatMap(([name, allowed]) =>
    Object.keys(allowed).map((step) => ({ name, step })),
  )
  expect(listed.filter((one) => !steps.some(({ name, step }) => name === one.name && step === one.step))).toEqual([])
  expect(Object.keys(BOUNDED).filter((table) => !steps.some(({ step }) => tableOf(step) === table))).toEqual([])
})

/** Statements that SQLite may plan at each call, each with the reason why that does not matter. */
const MONEY_MOVES = "a settlement takes seconds, and its unit runs it once"
const PLANNED_AGAIN: Readonly<Record<string, string>> = {
  "holds.ts holder": "a purchase asks it a few times",
  "attempt-moves.ts move": MONEY_MOVES,
  "attempt-moves.ts end": MONEY_MOVES,
  "attempt-moves.ts settle": MONEY_MOVES,
  "attempt-watch.ts owe": MONEY_MOVES,
  "source-changes.ts move": "an import runs it once",
}

test("no statement binds the column of a partial index's condition: SQLite would plan it anew at each call", () => {
  const conditions = database
    .query<{ table: string; sql: string }, []>(
      `SELECT tbl_name AS "table", sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`,
    )
    .all()
    .flatMap(({ table, sql }) => {
      const column = /\sWHERE (\w+) = '/.exec(sql)?.[1]
      return column === undefined ? [] : [{ table, column }]
    })
  expect(conditions.length).toBeGreaterThan(5)
  const again = queries.filter(({ sql }) =>
    conditions.some(
      ({ table, column }) => sql.includes(`"${table}"`) && new RegExp(`\\s(where|on) .*"${column}" = \\?`).test(sql),
    ),
  )
  expect(again.map(({ name }) => name).filter((name) => !(name in PLANNED_AGAIN))).toEqual([])
})

test("only src/store makes queries, where this test sees them", () => {
  const elsewhere = sourceFiles("src")
    .filter((path) => !path.startsWith("src/store/"))
    .filter((path) => /import[^"]*\bquery\b[^"]*from "[^"]*store\/engine\/unit\.ts"/.test(codeOf(path)))
  expect(elsewhere).toEqual([])
})
