/** The progress line of a real process: on a terminal, on one that knows no control codes, and into a file. */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freshDirectory } from "../../fixtures/directories.ts"
import { LONG } from "../../fixtures/long.ts"
import { programOnPath } from "../../fixtures/program-on-path.ts"
import { openScreeningOperator, type ScreeningOperator } from "../../fixtures/screening-operator.ts"
import { type Typed, typeLine } from "../../fixtures/typed-lines.ts"

const CLEARED = "\r\u001b[2K"
/** Its copy takes more than the start of a thread. */
const BALLAST_MB = 400
const HEADER = "id,name,type,country\n"
const fresh = freshDirectory()
const at = (name: string) => join(fresh.path, name)
let operator: ScreeningOperator
let path: Readonly<Record<string, string>>

beforeAll(async () => {
  operator = await openScreeningOperator()
  mkdirSync(at("shell"))
  path = programOnPath(at("shell"))
  writeFileSync(at("names.csv"), `${HEADER}1,Ann Moss,,\n2,Bo Reed,,\n`)
  writeFileSync(at("broken.csv"), `${HEADER}1,Ann Moss,,\n2,"Ann Moss\n`)
})
afterAll(() => {
  operator?.[Symbol.dispose]()
  fresh[Symbol.dispose]()
})

const type = (line: string, environment: Readonly<Record<string, string>> = {}): Promise<Typed> =>
  typeLine(
    `${line} --data ${operator.data}`,
    { folder: fresh.path, environment: { TERM: "xterm", ...path, ...environment } },
    { prompt: /Type yes/, reply: "no" },
  )

/** What stays on the terminal: of a line that was cleared, only what came after. */
const left = ({ shown }: Typed): string =>
  shown
    .split("\n")
    .map((line) => line.split(CLEARED).at(-1))
    .join("\n")

test("on a terminal the line is drawn and cleared, and only the result stays", async () => {
  const typed = await type("bizauth screen --file ./names.csv >./out.csv")
  expect(typed.shown).toContain(`${CLEARED}building the index of names`)
  expect([typed.exit, left(typed)]).toEqual([0, "2 names screened\n"])
  expect(readFileSync(at("out.csv"), "utf8").split("\n")).toHaveLength(4)
})

test("the line is cleared before an error, too", async () => {
  const typed = await type("bizauth screen --file ./broken.csv >./out.csv")
  expect(typed.shown).toContain(CLEARED)
  expect([typed.exit, left(typed)]).toEqual([4, expect.stringMatching(/^bizauth: .*broken\.csv line 3: /)])
})

test("a name on the terminal: the line before it is gone", async () => {
  const typed = await type('bizauth screen "Ann Moss"')
  expect(typed.shown).toContain(CLEARED)
  expect(left(typed)).toMatch(/^CLEAR {2}best score /)
})

test("rows that go to the same terminal are not mixed with a line", async () => {
  const { shown } = await type("bizauth screen --file ./names.csv")
  expect(shown).not.toContain("screening")
  expect(shown.slice(shown.lastIndexOf(CLEARED) + CLEARED.length)).toStartWith("id,name,state,")
})

test.each([
  ["NO_COLOR: the line has no colour", { NO_COLOR: "1" }, true],
  ["TERM=dumb: there is no line and no control code", { TERM: "dumb" }, false],
])("%s", async (_name, environment, isDrawn) => {
  const { exit, shown } = await type("bizauth screen --file ./names.csv >./out.csv", environment)
  const codes = shown.replaceAll(CLEARED, "")
  expect([exit, shown.includes(CLEARED), codes.includes("\u001b")]).toEqual([0, isDrawn, false])
})

test("into a file or a pipe no control code is written, also when standard output is a terminal", async () => {
  const { exit, shown } = await type("bizauth screen --file ./names.csv 2>./err.txt")
  expect([exit, shown.includes("\u001b"), readFileSync(at("err.txt"), "utf8")]).toEqual([0, false, ""])
})

test.skipIf(!LONG)(
  "while one statement copies a large database, the line shows the growing copy (BIZAUTH_LONG=1)",
  async () => {
    const database = new Database(join(operator.data, "bizauth.db"))
    database.run("CREATE TABLE ballast (bytes BLOB NOT NULL) STRICT")
    const insert = database.query("INSERT INTO ballast (bytes) VALUES (randomblob(1000000))")
    database.transaction(() => {
      for (let megabytes = 0; megabytes < BALLAST_MB; megabytes++) insert.run()
    })()
    database.close()
    const typed = await type(`bizauth backup ${at("large.tar.zst")}`)
    expect([typed.exit, typed.exit === 0 ? "" : left(typed)]).toEqual([0, ""])
    expect(typed.shown).toMatch(/step 1 of 7: copying the database {2}\d+ % {2}[\d.]+ of [\d.]+ [MG]B/)
    expect(left(typed)).toStartWith("made     ")
  },
  60_000,
)
