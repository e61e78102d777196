/**
 * Count and SHA-256 digest of every table, over rows in the order of their key. A row is one line: a JSON array with a member for each column, in
 * the order of the columns' names: null, or `i` and the digits of an integer, `t` and a text, `b` and hexadecimal bytes.
 */
import { createHash, type Hash } from "node:crypto"
import type { CellRow, TableShape, TablesView } from "../../store/engine/tables.ts"
import { APPEND_ONLY } from "./moved-tables.ts"

export interface TableDigest {
  readonly table: string
  readonly rows: number
  /** 64 hex digits. */
  readonly sha256: string
  /** The largest number in a table of {@link APPEND_ONLY}, as digits; absent in others and without a row. */
  readonly last?: string
}

/** A digest to which rows are added in their order. */
export class RowDigest {
  private readonly hash: Hash = createHash("sha256")
  private readonly numberAt: number
  private rows = 0
  private last: string | null = null
  private early: TableDigest | null = null

  /** `upTo`: the last number of an earlier digest, to compare with that. */
  constructor(
    private readonly shape: TableShape,
    private readonly upTo: string | null = null,
  ) {
    this.numberAt = APPEND_ONLY.has(shape.name) ? shape.columns.findIndex(({ name }) => name === shape.number) : -1
  }

  add(rows: readonly CellRow[]): void {
    const lines: string[] = []
    for (const row of rows) {
      const number = this.numberAt < 0 ? null : (row[this.numberAt] as string)
      if (this.early === null && this.upTo !== null && number !== null && BigInt(number) > BigInt(this.upTo)) {
        this.hash.update(lines.splice(0).join(""))
        this.early = this.digest(this.hash.copy())
      }
      lines.push(this.lineOf(row))
      this.rows++
      this.last = number
    }
    this.hash.update(lines.join(""))
  }

  /** Of all rows. No more rows come. */
  whole(): TableDigest {
    return this.digest(this.hash.copy())
  }

  /** Of the rows up to the number `upTo`. */
  upToLast(): TableDigest {
    return this.early ?? this.whole()
  }

  private digest(hash: Hash): TableDigest {
    return {
      table: this.shape.name,
      rows: this.rows,
      sha256: hash.digest("hex"),
      ...(this.last === null ? {} : { last: this.last }),
    }
  }

  private lineOf(row: CellRow): string {
    const members = row.map((cell, at) => {
      if (cell === null) return null
      if (typeof cell !== "string")
        return `b${Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString("hex")}`
      return this.shape.columns[at]?.kind === "INTEGER" ? `i${cell}` : `t${cell}`
    })
    return `${JSON.stringify(members)}\n`
  }
}

/** Reads every row of a table. `read` gets the number of rows of each batch. */
export async function digestOf(
  view: TablesView,
  shape: TableShape,
  { upTo = null, read }: { readonly upTo?: string | null; readonly read: (rows: number) => void },
): Promise<RowDigest> {
  const digest = new RowDigest(shape, upTo)
  for await (const rows of view.batches(shape)) {
    digest.add(rows)
    read(rows.length)
  }
  return digest
}

export function isEqual(one: TableDigest, other: TableDigest): boolean {
  return one.rows === other.rows && one.sha256 === other.sha256
}
