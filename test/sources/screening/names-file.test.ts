import { describe, expect, test } from "bun:test"
import { CsvBroken } from "../../../src/sources/formats/csv-stream.ts"
import { ID_LENGTH_MAX, NAME_CELL_MAX, type NameRow, readNames } from "../../../src/sources/screening/names-file.ts"

async function read(text: string | Uint8Array, namesMax?: number) {
  async function* chunks() {
    yield typeof text === "string" ? new TextEncoder().encode(text) : text
  }
  const names: NameRow[] = []
  try {
    for await (const some of readNames(chunks(), namesMax)) names.push(...some)
  } catch (error) {
    if (!(error instanceof CsvBroken)) throw error
    return { names, broken: `${error.line}: ${error.message}` }
  }
  return { names, broken: null }
}

const HEADER = "id,name,type,country\n"

describe("readNames", () => {
  test("reads every kind of row with its line number", async () => {
    const { names, broken } = await read(`${HEADER}1,"Karvolan, Ltd",org,GB\r\n2,"A\nB",,\n3,Ann Moss,person,`)
    expect(broken).toBeNull()
    expect(names).toEqual([
      { line: 2, id: "1", name: "Karvolan, Ltd", type: "org", country: "GB" },
      { line: 3, id: "2", name: "A\nB", type: null, country: null },
      { line: 5, id: "3", name: "Ann Moss", type: "person", country: null },
    ])
  })

  test("reads a file with only a header as a file without names", async () => {
    expect(await read(HEADER)).toEqual({ names: [], broken: null })
  })

  const wrongHeaders: readonly string[] = ["", "1,Ann,,\n", "ID,name,type,country\n", '"id,name",type,country\n']
  test.each(wrongHeaders)("refuses %j on line 1 and names the required header", async (text) => {
    expect((await read(text)).broken).toMatch(/^1: .*first line.*id,name,type,country$/)
  })

  const wrongRows: readonly (readonly [row: string, says: string])[] = [
    ["2,Ann", "2 cells where id,name,type,country has 4"],
    ["2,Moss, Ann,person,GB", "5 cells"],
    ["", "the line is blank; delete it"],
    [" ,Ann,,", "the id is empty"],
    [`${"9".repeat(ID_LENGTH_MAX + 1)},Ann,,`, `the id is longer than ${ID_LENGTH_MAX}`],
    ["2, ,,", "the name is empty"],
    [`2,${"a".repeat(NAME_CELL_MAX + 1)},,`, `the name is longer than ${NAME_CELL_MAX}`],
    ["2,Ann,company,", 'type "company" is neither person nor org'],
    ["2,Ann,Person,", 'type "Person"'],
    ["2,Ann,,UK", 'country "UK" is not an ISO 3166-1'],
    ["2,Ann,,gb", 'country "gb"'],
    ["2,Ann,\u001b[2J,", "\\u001b[2J"],
    ['2,A"nn,,', "bad quoting; write a quote inside quotes twice"],
  ]
  test.each(wrongRows)("refuses %j with its line and a hint, and returns the row before it", async (row, says) => {
    const { names, broken } = await read(`${HEADER}1,Good Name,,\n${row}\n3,After,,\n`)
    expect(names.map(({ id }) => id)).toEqual(["1"])
    expect(broken).toStartWith("3: ")
    expect(broken).toContain(says)
  })

  test("refuses a line that is longer than its limit, and one that is not UTF-8, after the lines before it", async () => {
    const long = await read(`${HEADER}1,Ann Moss,,\n2,"${"a".repeat(70_000)}`)
    expect([long.names.length, long.broken]).toEqual([1, "3: the row is longer than 65536 bytes; close its quote"])
    const foreign = await read(Buffer.from(`${HEADER}1,Ann Moss,,\n2,Caf\xe9,,\n3,After,,\n`, "latin1"))
    expect([foreign.names.length, foreign.broken]).toEqual([1, "3: the row is not UTF-8; save the file as UTF-8"])
  })

  test("refuses the first name above the greatest number, after all names before it", async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, at) => `${at},Ann Moss,,\n`).join("")
    expect((await read(HEADER + rows(3), 3)).broken).toBeNull()
    const { names, broken } = await read(HEADER + rows(5), 3)
    expect([names.length, broken]).toEqual([3, "5: the file has more than 3 names; divide it"])
  })

  test("reads an id and a name of the greatest length", async () => {
    const { names } = await read(`${HEADER}${"9".repeat(ID_LENGTH_MAX)},${"é".repeat(NAME_CELL_MAX)},,\n`)
    expect(names.map(({ id, name }) => [id.length, name.length])).toEqual([[ID_LENGTH_MAX, NAME_CELL_MAX]])
  })
})
