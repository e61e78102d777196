/** Reads labelled names: a CSV file with the header `id,name,type,country,expected,class`. */
import { CsvBroken, streamCsv } from "../formats/csv-stream.ts"
import { SOURCE_IDS } from "../records/party.ts"
import { NAMES_MAX, type NameRow, readNameRow, wrongCellCount } from "./names-file.ts"

export interface LabelledName extends NameRow {
  /** CLEAR: the party is on no list. LISTED: it is, whatever the entry. Otherwise `SOURCE_ID:ENTRY_ID`, any of them. */
  readonly expected: "CLEAR" | "LISTED" | readonly string[]
  /** Of the names that are counted together; `(none)` if the cell is empty. */
  readonly group: string
}

const LABELLED_HEADER = "id,name,type,country,expected,class"
const GROUPS_MAX = 200
const GROUP_LENGTH_MAX = 60
const ENTRIES_MAX = 20

/** Yields blocks of rows. Throws {@link CsvBroken} at the first invalid line. */
export async function* readLabelledNames(
  chunks: AsyncIterable<Uint8Array>,
  namesMax = NAMES_MAX,
): AsyncGenerator<readonly LabelledName[]> {
  const groups = new Set<string>()
  let headed = false
  let count = 0
  for await (const rows of streamCsv(chunks)) {
    const [first] = rows
    if (first === undefined) continue
    if (!headed && first.cells.join(",") !== LABELLED_HEADER)
      throw new CsvBroken(first.line, `the first line must be ${LABELLED_HEADER}`)
    const names = rows.slice(headed ? 0 : 1).map(({ cells, line }) => labelledName(cells, line, groups))
    headed = true
    count += names.length
    if (count > namesMax) throw new CsvBroken(first.line, `the file has more than ${namesMax} names; divide it`)
    yield names
  }
  if (!headed) throw new CsvBroken(1, `the file is empty; its first line is ${LABELLED_HEADER}`)
}

function labelledName(cells: readonly string[], line: number, groups: Set<string>): LabelledName {
  const read = wrongCellCount(cells, LABELLED_HEADER) ?? readNameRow(cells.slice(0, 4), line)
  if (typeof read === "string") throw new CsvBroken(line, read)
  const [, , , , expected = "", group = ""] = cells
  if (group.length > GROUP_LENGTH_MAX)
    throw new CsvBroken(line, `the class is longer than ${GROUP_LENGTH_MAX} characters`)
  groups.add(group)
  if (groups.size > GROUPS_MAX) throw new CsvBroken(line, `more than ${GROUPS_MAX} classes`)
  return { ...read, expected: expectedOf(expected, line), group: group || "(none)" }
}

function expectedOf(cell: string, line: number): LabelledName["expected"] {
  if (cell === "" || cell === "CLEAR") return "CLEAR"
  if (cell === "LISTED") return "LISTED"
  const entries = cell.split("|")
  const isEntry = (entry: string) => SOURCE_IDS.some((id) => entry.startsWith(`${id}:`) && entry.length > id.length + 1)
  if (entries.length <= ENTRIES_MAX && entries.every(isEntry)) return entries
  throw new CsvBroken(
    line,
    `expected is empty or CLEAR for a party on no list, LISTED, or up to ${ENTRIES_MAX} of SOURCE_ID:ENTRY_ID with | between them`,
  )
}
