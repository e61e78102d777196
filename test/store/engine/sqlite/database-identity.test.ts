import { expect, test } from "bun:test"
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createLog } from "../../../../src/base/log.ts"
import {
  databaseFileCheck,
  fileIdentity,
  grownIdentity,
} from "../../../../src/store/engine/sqlite/database-identity.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"

test.each([
  ["nothing was touched", () => {}, false],
  ["the file was written to", ({ file }: Paths) => writeFileSync(file, "more", { flag: "a" }), false],
  [
    "the file was replaced by its copy",
    ({ file }: Paths) => {
      renameSync(file, `${file}.old`)
      cpSync(`${file}.old`, file)
    },
    true,
  ],
  [
    "another file was renamed over it",
    ({ file }: Paths) => {
      cpSync(file, `${file}.copy`)
      renameSync(`${file}.copy`, file)
    },
    true,
  ],
  ["the file was overwritten with a smaller one", ({ file }: Paths) => writeFileSync(file, "row"), true],
  ["the file was removed", ({ file }: Paths) => rmSync(file), true],
  ["the directory was renamed", ({ directory }: Paths) => renameSync(directory, `${directory}.old`), true],
  [
    "the very file is in another directory of the same name",
    ({ directory, file }: Paths) => {
      renameSync(directory, `${directory}.old`)
      mkdirSync(directory)
      renameSync(join(`${directory}.old`, "bizauth.db"), file)
    },
    true,
  ],
] as const)("DATABASE_MOVED is reported exactly if the path lost its file: after %s", (_, change, moved) => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  const file = join(directory, "bizauth.db")
  mkdirSync(directory)
  writeFileSync(file, "rows")
  const logged: string[] = []
  const log = createLog("info", (line) => logged.push(line), Date.now)
  const check = databaseFileCheck([fileIdentity(directory), grownIdentity(file)], log)
  expect(check.reasons()).toEqual([])
  ;(change as (paths: Paths) => void)({ directory, file })
  for (let look = 0; look < 2; look++) {
    expect(check.reasons()).toEqual(moved ? [expect.objectContaining({ code: "DATABASE_MOVED" })] : [])
  }
  expect(logged.map((line) => JSON.parse(line))).toEqual(
    moved ? [expect.objectContaining({ event: "database_moved", file: expect.stringContaining(directory) })] : [],
  )
})

interface Paths {
  readonly directory: string
  readonly file: string
}
