/** A register as an operator brings it to a running service. Runs against the compiled file when BIZAUTH_BINARY names it. */
import { expect, test } from "bun:test"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { initialised, run, serve } from "../../fixtures/binary.ts"
import { bulkFiles, companyCells, companyNumber, type NamedBytes } from "../../fixtures/companies-house-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

const REGISTER = "UK_COMPANIES_HOUSE"

function folderOf(path: string, files: readonly NamedBytes[]): string {
  mkdirSync(path)
  for (const { name, bytes } of files) writeFileSync(join(path, name), bytes)
  return path
}

test("a running service opens and checks a register imported by another process, then takes the next one; a truncated part changes nothing", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using server = await serve(data)
  const month = new Date().toISOString().slice(0, 7)
  const parts = bulkFiles("parts", 700, { day: `${month}-01` })
  const bring = (folder: string) => run(["sources", "import", REGISTER, folder, "--data", data])

  const imported = await bring(folderOf(join(fresh.path, "parts"), parts))
  expect([imported.exit, imported.err]).toEqual([0, ""])
  await server.logged('"event":"register_opened"')
  await server.logged('"event":"register_proven"')
  const number = companyNumber(699)
  const requests = await run(["company", number, "--json", "--data", data])
  expect([requests.exit, JSON.parse(requests.out).record.company_name]).toEqual([0, companyCells(699)["CompanyName"]])

  const [first] = parts
  const cut = [
    { name: first?.name ?? "", bytes: (first?.bytes ?? new Uint8Array()).subarray(0, 3000) },
    ...parts.slice(1),
  ]
  const refused = await bring(folderOf(join(fresh.path, "cut"), cut))
  expect([refused.exit, refused.out]).toEqual([3, expect.stringContaining("hard  TRUNCATED  BasicCompanyData-")])
  expect((await run(["company", number, "--data", data])).exit).toBe(0)

  const whole = bulkFiles("zip", 701, { day: `${month}-01` })
  expect((await bring(folderOf(join(fresh.path, "whole"), whole))).exit).toBe(0)
  await server.logged('"entries":701')
  expect((await run(["sources", "rollback", REGISTER, "--data", data])).exit).toBe(0)
  // A register smaller than the publisher's proves no absence.
  expect((await run(["company", companyNumber(700), "--data", data])).exit).toBe(4)
  const folders = readdirSync(join(data, "snapshots", REGISTER)).filter((name) => !name.startsWith("import.lock"))
  expect([folders.length, folders.every((name) => name.startsWith("snp_"))]).toEqual([2, true])
  expect(await server.stop()).toBe(0)
}, 30_000)
