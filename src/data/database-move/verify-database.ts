/** Compares the database in use with the report of a move: every table right after it, and later the rows that never change. */
import { adding, type LongWork } from "../../base/long-work.ts"
import type { DatabasePlace } from "../../store/engine/open-engine.ts"
import { readTables } from "../../store/engine/open-tables.ts"
import type { MoveReport } from "./move-report.ts"
import { APPEND_ONLY, movedTables, requireKnownTables } from "./moved-tables.ts"
import { digestOf, isEqual, type TableDigest } from "./table-digests.ts"

/**
 * `EQUAL`: as the move compared it. `GROWN`: the rows of the move are equal, and others came after them. `CHANGED`: a table whose rows the service
 * changes and removes, so nobody can compare it any more. `DIFFERENT`: rows that never change are not those of the move. `NOT_COMPARED`: there is no
 * report, or the schema has changed since.
 */
type Verdict = "EQUAL" | "GROWN" | "CHANGED" | "DIFFERENT" | "NOT_COMPARED"

interface VerifiedTable extends TableDigest {
  readonly verdict: Verdict
}

export interface VerifiedDatabase {
  readonly name: string
  readonly schema: string
  /** Whether the digests of the report are of the same schema. */
  readonly isComparable: boolean
  readonly tables: readonly VerifiedTable[]
}

export async function verifyDatabase(
  place: DatabasePlace,
  report: MoveReport | null,
  work: LongWork,
): Promise<VerifiedDatabase> {
  return readTables(place, async (view) => {
    const shapes = movedTables()
    requireKnownTables(await view.names(), shapes)
    const schema = await view.schema()
    const isComparable = report !== null && report.schema === schema
    const expected = new Map(isComparable ? report.tables.map((one) => [one.table, one]) : [])
    let total = 0
    for (const shape of shapes) total += await view.count(shape)
    work.step({ what: "reading every table", unit: "rows", total })
    const read = adding(work)
    const tables: VerifiedTable[] = []
    for (const shape of shapes) {
      const before = expected.get(shape.name)
      const found = await digestOf(view, shape, { upTo: before ? (before.last ?? "-1") : null, read })
      const whole = found.whole()
      tables.push({ ...whole, verdict: before ? verdictOf(whole, found.upToLast(), before) : "NOT_COMPARED" })
    }
    return { name: view.name, schema, isComparable, tables }
  })
}

/** `early`: of the rows that a table had at the move, if it only grows. */
function verdictOf(whole: TableDigest, early: TableDigest, before: TableDigest): Verdict {
  if (isEqual(whole, before)) return "EQUAL"
  if (!APPEND_ONLY.has(before.table)) return "CHANGED"
  return isEqual(early, before) ? "GROWN" : "DIFFERENT"
}
