/**
 * Every test of the store runs on both engines, or a reason says why it does not. So does every test of another folder that asks SQLite itself.
 * `bun run check` runs the files of the door twice.
 */
import { expect, test } from "bun:test"
import { doorFiles, OF_SQLITE, testFiles } from "../fixtures/door-files.ts"

const UPGRADE = "the upgrade of a file of an earlier release: a database of PostgreSQL begins with the present schema"

/** Files that ask SQLite itself, each with what they ask. */
const SQLITE: Readonly<Record<string, string>> = {
  "agent-messages": UPGRADE,
  "buyers/tables": "the schema as SQLite describes it; schema-comparison.test.ts compares both engines",
  "identity/agent-challenge": "the plan of a statement",
  "in-place": "whether the open file is the one at its path: nobody moves the database of a server",
  "log/sequenced-log": "an engine whose writers hold every order; sequenced-log.test.ts tests the log of PostgreSQL",
  nonces: UPGRADE,
  "power-failure": "the bytes of the file after a power failure",
  "query-growth": "the time of each statement in SQLite",
  "query-plans": "the plans of SQLite; postgres-queries.test.ts tests those of PostgreSQL",
  "store-failures": "errors of the file and of its disk",
  "store-processes": "the lock of the file between processes",
  "tokens/token-moves": "the plan of a statement",
}

/** The same of other folders. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "db/purchase": UPGRADE,
  "delivery/conclude": "a file that is full or locked by another process",
  "delivery/deliver": "the transactions of SQLite",
  "products/agent-id/prove-parallel": "an engine that runs parallel units in the order in which they arrive",
}

/** Files without a database, or with more than one store on the same one. */
const OTHERS: Readonly<Record<string, string>> = {
  "buyers/compromised-keys": "no database",
  engines: "no database",
  "log/sequenced-log": "several stores on one PostgreSQL, which it makes itself",
  "log/sequenced-log-chaos": "several stores on one PostgreSQL, which it makes itself",
  "query-order": "the texts of the statements",
  "rights-after-restore": "no database",
  "sales/long-keys": "each engine in turn, in one run",
  "sales/sold-reorganized": "units that wait for each other on one PostgreSQL, which it makes itself",
}

const files = testFiles("test/store").filter((file) => !file.startsWith("test/store/engine/"))
const nameOf = (file: string, end = ".test.ts") => file.slice("test/store/".length, -end.length)

test.each(Object.entries(SQLITE))("%s asks SQLite itself: %s", (name) => {
  expect(files).toContain(`test/store/${name}${OF_SQLITE}`)
})

test("every file of another folder that asks SQLite itself has its reason", () => {
  const found = testFiles().filter((file) => file.endsWith(OF_SQLITE) && !file.startsWith("test/store/"))
  const names = found.map((file) => file.slice("test/".length, -OF_SQLITE.length))
  expect(names).toEqual(Object.keys(ELSEWHERE))
})

test("every other file of the store comes through the door, or is named with its reason", () => {
  const ofSqlite = files.filter((file) => file.endsWith(OF_SQLITE))
  expect(ofSqlite.map((file) => nameOf(file, OF_SQLITE))).toEqual(Object.keys(SQLITE).toSorted())
  const door = doorFiles()
  const left = files.filter((file) => !ofSqlite.includes(file) && !door.includes(file))
  expect(left.map((file) => nameOf(file)).toSorted()).toEqual(Object.keys(OTHERS).toSorted())
  expect(door.filter((file) => file.startsWith("test/store/")).length).toBeGreaterThan(35)
})
