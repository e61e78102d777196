/** The shipped program reads a register of an earlier parser again while it serves, in a thread of its own. */
import { Database } from "bun:sqlite"
import { expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import { initialised, run, serve } from "../../fixtures/binary.ts"
import { bulkFiles } from "../../fixtures/companies-house-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(60_000)

const REGISTER = "UK_COMPANIES_HOUSE"

test("a register of an earlier parser is read again after the start", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const folder = join(fresh.path, "files")
  mkdirSync(folder)
  for (const { name, bytes } of bulkFiles("zip", 500)) writeFileSync(join(folder, name), bytes)
  expect((await run(["sources", "import", REGISTER, folder, "--data", data])).exit).toBe(0)
  using database = new Database(join(data, "bizauth.db"))
  database.run("UPDATE source_snapshot SET parser_version = 'uk-companies-house-bulk/1.0.0'")
  const parser = () =>
    database
      .query<{ version: string }, []>("SELECT parser_version AS version FROM source_snapshot WHERE state = 'ACTIVE'")
      .get()?.version
  await using server = await serve(data)
  await until("read again", () => parser() === ukCompaniesHouse.parserVersion)
  await until("named in the log", () => server.err().includes("register_read_again"))
  expect(await server.stop()).toBe(0)
})
