/**
 * No query of the store becomes slower because one payer, organization, delegation, relayer or source has many rows. A plan with SEARCH
 * may still visit every row of one owner, so each query is timed with few rows and with many.
 */
import { expect } from "bun:test"
import { openInMemory } from "../../db/schema-image.ts"
import { growSales, growTheRest } from "../fixtures/grown-rows.ts"
import { atLength } from "../fixtures/long.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { everyQuery, type StoreQuery } from "./every-query.ts"
import { valuesFor } from "./query-values.ts"

const test = slowTests(import.meta.path)

const FEW = 1_000
/** `BIZAUTH_LONG=1` uses a hundred times as many rows and takes a minute. The default shows the same fault as an eightfold cost. */
const MANY = atLength(8_000, 100_000)
const SLOWER_MAX = 3
/** Microseconds. A faster query cannot be separated from the noise of a busy machine. */
const FLOOR = 40
const RUNS = 15
/** A slow measurement is repeated, because another process may have used the processor. */
const TRIES = 6
/** Every eighth attempt is of each kind, so that even the small table has more rows than any LIMIT. */
const CYCLE = 8

/** Queries that may return or change more rows in a larger table, each with the reason. */
const ALL_OF_THEM: Readonly<Record<string, string>> = {
  "attempt-watch.ts owed": "the operator's list of what is owed, 1,000 at most",
  "log-pages.ts heads": "a page of an audit of the whole log",
  "review-sessions.ts endLinks":
    "every link of a person whose key is revoked; an operator makes each, for five minutes",
  "settling-age.ts since": "counts what waits too long, 1,000 at most",
  "supplier-statements.ts disputed": "the operator's list of the suppliers that an organization must settle",
  "supplier-statements.ts dropName": "every supplier of a name loses it, by a statement of the organization",
  "suppressions.ts all": "the operator's list of all of them",
  "suppressions.ts unrevoked": "all that are in force, 10,000 at most",
  "suppressions.ts inForce": "counts all that are in force, 10,000 at most",
}

function grown(rows: number) {
  const database = openInMemory("2026-01-01T00:00:00.000Z")
  const growth = { from: 1, to: rows, cycle: CYCLE }
  growSales(database, growth)
  growTheRest(database, growth)
  // A row in the middle that is settled and safe.
  const requests = Math.floor(rows / 2 / CYCLE) * CYCLE + CYCLE - 1
  return {
    close: () => database.close(),
    /** The median time of a query in microseconds. Its changes are rolled back. */
    time(query: StoreQuery): number {
      const statement = database.query(query.sql)
      const values = valuesFor(query, requests)
      const times: number[] = []
      for (let run = 0; run < RUNS; run++) {
        database.run("BEGIN")
        const start = performance.now()
        statement.all(...values)
        times.push(performance.now() - start)
        database.run("ROLLBACK")
      }
      return (times.sort((a, b) => a - b)[RUNS >> 1] ?? 0) * 1_000
    },
  }
}

/** An INSERT of values finds no rows. The plan test covers the look-ups of its keys. */
function findsRows({ sql }: StoreQuery): boolean {
  return !sql.startsWith("insert") || sql.includes(" select ")
}

test(`no query takes over three times longer with ${MANY} rows of one owner than with ${FEW}`, () => {
  const few = grown(FEW)
  const many = grown(MANY)
  const slow = everyQuery()
    .filter((query) => !(query.name in ALL_OF_THEM) && findsRows(query))
    .flatMap((query) => {
      let told = ""
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const [before, after] = [few.time(query), many.time(query)]
        if (after <= SLOWER_MAX * Math.max(before, FLOOR)) return []
        told = `${query.name}: ${before.toFixed(0)} us, then ${after.toFixed(0)} us`
      }
      return [told]
    })
  few.close()
  many.close()
  expect(slow).toEqual([])
}, 300_000)
