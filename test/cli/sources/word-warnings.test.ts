/** A warning about a publisher's words is where an operator reads: in the report of the import, in `sources status` and in `check`. */
import { expect } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as check } from "../../../src/cli/check.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { command as status } from "../../../src/cli/sources/status.ts"
import { samCsv, samZip } from "../../fixtures/sample-lists.ts"
import { samRows } from "../../fixtures/sample-parties.ts"
import { openScreeningOperator } from "../../fixtures/screening-operator.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const SAM = "US_SAM_EXCLUSIONS"
const NEW_AGENCY = 'Excluding Agency: "NASA" 1 times, new; its rows are screened as exclusions'

test("an agency that the snapshot before does not have", async () => {
  using operator = await openScreeningOperator()
  const bring = async (name: string, agency: string) => {
    const rows = samRows.map((row) =>
      row["Excluding Agency"] === "DHS" ? { ...row, "Excluding Agency": agency } : row,
    )
    const folder = join(operator.data, `../${name}`)
    mkdirSync(folder)
    const file = samZip({ publishedAt: realMachine.now() }, samCsv(rows))
    writeFileSync(join(folder, file.name), file.bytes)
    return runCommand(importSource, [SAM, folder, "--data", operator.data])
  }
  const warned = await bring("warned", "NASA")
  expect([warned.exit, warned.out]).toEqual([0, expect.stringContaining(`soft  WORD_UNKNOWN  ${NEW_AGENCY}`)])
  expect((await runCommand(status, ["--data", operator.data])).out).toContain(NEW_AGENCY)
  const wordLines = async () => {
    const { lines } = JSON.parse((await runCommand(check, ["--data", operator.data, "--json"])).out)
    return lines.filter(({ name }: { name: string }) => name.endsWith(" words"))
  }
  expect(await wordLines()).toMatchObject([{ name: `${SAM} words`, state: "NOTE", what: NEW_AGENCY }])
  const refused = await bring("refused", "OFAC OFFICE")
  expect(refused.exit as number).toBe(3)
  expect((await wordLines())[0].what).toContain('"OFAC OFFICE" 1 times, new')
})
