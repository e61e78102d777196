/** Reads the operator's names to screen: a CSV file with the header `id,name,type,country`. */

import { CsvBroken, type CsvRow, streamCsv } from "../formats/csv-stream.ts"
import { isAlpha2 } from "../records/country-codes.ts"

export interface NameRow {
  readonly line: number
  readonly id: string
  readonly name: string
  readonly type: "person" | "org" | null
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
}

const NAMES_HEADER = "id,name,type,country"
export const ID_LENGTH_MAX = 200
/** Far more characters than screening reads. A longer cell means a damaged file. */
export const NAME_CELL_MAX = 4096

/** A file of more names is not read by mistake: it takes hours. */
export const NAMES_MAX = 50_000_000

/** Yields blocks of rows. Throws {@link CsvBroken} at the first invalid line, after it yielded all rows before it. */
export async function* readNames(
  chunks: AsyncIterable<Uint8Array>,
  namesMax = NAMES_MAX,
): AsyncGenerator<readonly NameRow[]> {
  let headed = false
  let left = namesMax
  for await (const rows of streamCsv(chunks)) {
    const [first] = rows
    if (first === undefined) continue
    if (!headed) requireHeader(first)
    for (const names of namesOf(headed ? rows : rows.slice(1))) {
      yield names.slice(0, left)
      left -= names.length
      if (left < 0)
        throw new CsvBroken(names.at(left)?.line ?? first.line, `the file has more than ${namesMax} names; divide it`)
    }
    headed = true
  }
  if (!headed) throw new CsvBroken(1, `the file is empty; its first line is ${NAMES_HEADER}`)
}

function requireHeader({ cells, line }: CsvRow): void {
  if (cells.length !== 4 || cells.join(",") !== NAMES_HEADER)
    throw new CsvBroken(line, `the first line must be ${NAMES_HEADER}`)
}

function* namesOf(rows: readonly CsvRow[]): Generator<readonly NameRow[]> {
  const names: NameRow[] = []
  for (const row of rows) {
    const read = nameOf(row)
    if (typeof read === "string") {
      yield names
      throw new CsvBroken(row.line, read)
    }
    names.push(read)
  }
  yield names
}

/** Returns the row, or a text that states the fault and the fix. */
function nameOf({ cells, line }: CsvRow): NameRow | string {
  return wrongCellCount(cells, NAMES_HEADER) ?? readNameRow(cells, line)
}

/** Returns what is wrong with the number of cells, or null. `header`: the columns of the file. */
export function wrongCellCount(cells: readonly string[], header: string): string | null {
  const count = header.split(",").length
  if (cells.length === count) return null
  return cells.length === 1 && cells[0] === ""
    ? "the line is blank; delete it"
    : `${cells.length} cells where ${header} has ${count}; quote a cell that holds a comma`
}

/** Reads the cells `id,name,type,country`. Returns a text that states the fault and the fix. */
export function readNameRow(cells: readonly string[], line: number): NameRow | string {
  const [id = "", name = "", type = "", country = ""] = cells
  if (id.trim() === "") return "the id is empty; give every name an id"
  if (id.length > ID_LENGTH_MAX) return `the id is longer than ${ID_LENGTH_MAX} characters`
  if (name.trim() === "") return "the name is empty; delete the line or give the name"
  if (name.length > NAME_CELL_MAX) return `the name is longer than ${NAME_CELL_MAX} characters`
  if (type !== "" && type !== "person" && type !== "org") {
    return `type ${shown(type)} is neither person nor org; leave it empty if it is not known`
  }
  if (country !== "" && !isAlpha2(country)) {
    return `country ${shown(country)} is not an ISO 3166-1 alpha-2 code such as US or GB; leave it empty where it is not known`
  }
  return { line, id, name, type: type === "" ? null : type, country: country === "" ? null : country }
}

/** Escapes control characters, because the text goes to a terminal. */
const shown = (cell: string): string => JSON.stringify(cell.slice(0, 40))
