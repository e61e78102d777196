import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { asDataFault } from "../../../src/cli/data-fault.ts"
import { asImportRefusal } from "../../../src/cli/sources/source-argument.ts"
import { copyInto } from "../../../src/store/engine/sqlite/copy-into.ts"
import { databaseFaultOf, onFile, onFileLater } from "../../../src/store/engine/sqlite/database-fault.ts"
import { StoreUnavailable } from "../../../src/store/engine/store-error.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

const failing = (file: string) => () => new Database(file, { readonly: true })

describe("an error of SQLite", () => {
  test("names the file and its role, in one sentence of the command line", () => {
    const file = "/nowhere/at/all.db"
    const thrown = (() => {
      try {
        return onFile("the register", file, failing(file))
      } catch (error) {
        return error
      }
    })()
    expect(databaseFaultOf(new Error("outer", { cause: thrown }))?.file).toBe(file)
    expect((asDataFault(thrown) as Error).message).toMatch(
      /^the register \/nowhere\/at\/all\.db: it cannot be opened or made; .+ \(SQLITE_CANTOPEN\)$/,
    )
  })

  test("names them also when it comes later; another error is unchanged", async () => {
    const later = onFileLater("the register", "/nowhere.db", async () => failing("/no/where.db")())
    await expect(later).rejects.toThrow("the register /nowhere.db: ")
    const other = new Error("disk on fire")
    await expect(onFileLater("x", "y", () => Promise.reject(other))).rejects.toBe(other)
    expect(() =>
      onFile("x", "y", () => {
        throw other
      }),
    ).toThrow(other)
  })
})

const RUN_NEWER = "a newer release migrated it, and this one stores nothing more in it: run the newer release"

test.each([
  [asDataFault, "BUSY", "try again"],
  [asDataFault, "SCHEMA_NEWER", RUN_NEWER],
  [asImportRefusal, "BUSY", "try again; the active snapshot is unchanged"],
  [asImportRefusal, "SCHEMA_NEWER", `${RUN_NEWER}; the active snapshot is unchanged`],
] as const)("%p of an unavailable database says for %s: %s", (asFault, reason, wayOut) => {
  const fault = asFault(new StoreUnavailable(reason, {}, "/d/a.db"))
  expect(fault).toMatchObject({ exit: EXIT.DATA })
  expect((fault as Error).message).toBe(`the database /d/a.db cannot be used now (${reason}); ${wayOut}`)
})

test("a copy is whole and private; one that exists already is not written over", () => {
  using fresh = freshDirectory()
  const database = new Database(":memory:")
  database.run("CREATE TABLE t (a TEXT)")
  database.run("INSERT INTO t VALUES ('kept')")
  const to = join(fresh.path, "copy.db")
  copyInto(database, to)
  expect(new Database(to, { readonly: true }).query("SELECT a FROM t").get()).toEqual({ a: "kept" })
  writeFileSync(join(fresh.path, "other"), "not a copy")
  expect(() => copyInto(database, join(fresh.path, "other"))).toThrow("EEXIST")
})
