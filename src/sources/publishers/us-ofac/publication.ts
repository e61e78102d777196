/**
 * Checks that the four CSV files are one publication. OFAC writes them together, so an orphan row means that they were not fetched
 * together.
 */

import type { Finding } from "../../records/adapter.ts"
import { hard, soft } from "../../records/findings.ts"
import type { Row, Table } from "./table.ts"

/** Width of the Remarks column. A longer text continues in the comments file. */
const REMARKS_LENGTH_MAX = 1000

export interface OfacTables {
  readonly primary: Table
  readonly addresses: Table
  readonly aliases: Table
  readonly comments: Table | null
}

/** Checks invariants that held in every unmodified publication seen (2021, 2024, 2025). */
export function publicationFindings(tables: OfacTables): Finding[] {
  const { primary, addresses, aliases, comments } = tables
  const keys = new Set(primary.rows.map((row) => row.key))
  return [
    ...ascending(primary),
    ...orphans(addresses, keys),
    ...orphans(aliases, keys),
    ...(comments ? orphans(comments, keys) : []),
    // An entry without a known address still has one row of nulls.
    ...withoutAddress(addresses, keys),
    ...repeatedNumbers(addresses),
    ...repeatedNumbers(aliases),
    ...missingContinuations(primary, comments),
  ]
}

function ascending(table: Table): Finding[] {
  const wrong = table.rows.filter((row, index) => index > 0 && row.key <= (table.rows[index - 1]?.key ?? 0))
  if (wrong.length === 0) return []
  const detail = `entry numbers repeat or descend at ${wrong.length} rows, first at line ${wrong[0]?.line}`
  return [hard("MIXED_PUBLICATION", detail, table.file)]
}

function orphans(table: Table, keys: ReadonlySet<number>): Finding[] {
  const unknown = table.rows.filter((row) => !keys.has(row.key))
  if (unknown.length === 0) return []
  const entries = new Set(unknown.map((row) => row.key)).size
  const detail = `${entries} entries are not in the primary file, first at line ${unknown[0]?.line}`
  return [hard("MIXED_PUBLICATION", detail, table.file)]
}

function withoutAddress(addresses: Table, keys: ReadonlySet<number>): Finding[] {
  const addressed = new Set(addresses.rows.map((row) => row.key))
  const missing = [...keys].filter((key) => !addressed.has(key)).length
  return missing === 0
    ? []
    : [hard("MIXED_PUBLICATION", `${missing} entries of the primary file have no row here`, addresses.file)]
}

function repeatedNumbers(table: Table): Finding[] {
  const seen = new Set(table.rows.map((row) => row.cells[1]))
  const repeated = table.rows.length - seen.size
  return repeated === 0 ? [] : [hard("MIXED_PUBLICATION", `${repeated} record numbers repeat`, table.file)]
}

/** A cut remark may have lost aliases and documents. The entry is still screened, so this finding does not reject the publication. */
function missingContinuations(primary: Table, comments: Table | null): Finding[] {
  const continued = new Set(comments?.rows.map((row) => row.key))
  const cut = primary.rows.filter((row: Row) => (row.cells[11] ?? "").length >= REMARKS_LENGTH_MAX)
  const lost = cut.filter((row) => !continued.has(row.key)).length
  return lost === 0
    ? []
    : [
        soft(
          "SPILLOVER_MISSING",
          `${lost} remarks are cut at ${REMARKS_LENGTH_MAX} characters and continue nowhere`,
          primary.file,
        ),
      ]
}
