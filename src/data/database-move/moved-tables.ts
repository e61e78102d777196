/** Which tables a move copies and compares, and why some are different. */
import { tableShapes } from "../../store/engine/sqlite/sqlite-tables.ts"
import { DatabaseRefused } from "../../store/engine/store-error.ts"
import type { TableShape } from "../../store/engine/tables.ts"

const LISTS = "the data directory has the lists; on a server the first start stores them for the other machines"

/**
 * Tables that are neither copied nor compared, with the reason. Every other table of the schema is copied whole and compared. Of `meta` alone the two
 * rows are left out that say where the database is (`rowsKept`).
 */
export const NOT_MOVED = {
  schema_migration: "each engine has its own texts of the migrations, and both databases have all of them",
  instance: "a row for each process that serves; none does during a move",
  instance_snapshot: "from which lists each process that serves answers; none does during a move",
  list_activation:
    "for how long a machine may answer from an earlier list; after a move every machine begins with the active one",
  list_file: LISTS,
  list_part: LISTS,
  list_upload: LISTS,
  log_pending:
    "capsules that wait for their leaf in the log: a move gives them their leaves first, and then none waits",
  log_order: "PostgreSQL's own lock; it has no rows",
  unit_outcome: "PostgreSQL's own: whether a commit without an answer was stored; no process asks any more",
} as const satisfies Readonly<Record<string, string>>

/**
 * Tables whose rows never change and are never removed, and each of which gives its rows growing numbers. So the rows that a move compared can be
 * compared again at any time.
 */
export const APPEND_ONLY: ReadonlySet<string> = new Set([
  "acp_event",
  "acp_fact",
  "acp_switch",
  "log_leaf",
  "payment_event",
  "sales_opt_out",
  "sales_switch",
  "source_acceptance",
  "source_event",
  "suppression_event",
])

/** The tables that a move copies, each after those that its rows refer to. */
export function movedTables(): readonly TableShape[] {
  const left = new Map(
    tableShapes()
      .filter(({ name }) => !(name in NOT_MOVED))
      .map((shape) => [shape.name, shape]),
  )
  const ordered: TableShape[] = []
  while (left.size > 0) {
    const free = [...left.values()].filter(({ name, refersTo }) =>
      refersTo.every((other) => other === name || !left.has(other)),
    )
    if (free.length === 0) throw new Error("tables refer to each other in a circle")
    for (const shape of free) left.delete(shape.name)
    ordered.push(...free)
  }
  return ordered
}

/** A table that this program does not know has rows of somebody else. Throws {@link DatabaseRefused}. */
export function requireKnownTables(names: readonly string[], shapes: readonly TableShape[]): void {
  const known = new Set([...shapes.map(({ name }) => name), ...Object.keys(NOT_MOVED)])
  const strange = names.filter((name) => !known.has(name))
  if (strange.length === 0) return
  throw new DatabaseRefused(
    `the database has tables that this program does not know (${strange.join(", ")}): move them away first`,
  )
}
