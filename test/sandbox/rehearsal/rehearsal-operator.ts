/** A data directory with all lists and a small register of UK companies, as after an operator's first imports; and the command on it. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command } from "../../../src/cli/rehearsal/rehearse.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { SOURCE_IDS } from "../../../src/sources/records/party.ts"
import { bulkFiles } from "../../fixtures/companies-house-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { GB_NAME, GB_NUMBER } from "../../fixtures/gb.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { type Ran, runCommand } from "../../fixtures/terminal.ts"

export interface RehearsalOperator {
  readonly data: string
  rehearse(draft: object, ...args: string[]): Promise<Ran>
  /** Writes the value as a file and returns its path. */
  file(value: unknown): string
  path(name: string): string
  [Symbol.dispose](): void
}

/** With `test` every list is imported, as a sample; with `live` none, because a live directory takes no sample. */
export async function openRehearsalOperator(environment: "live" | "test" = "test"): Promise<RehearsalOperator> {
  const fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await createDataDirectory(data, environment, realMachine)
  if (environment === "test") await importAll(fresh.path, data)
  let serial = 0
  const file = (value: unknown) => {
    const path = join(fresh.path, `draft-${++serial}.json`)
    writeFileSync(path, JSON.stringify(value))
    return path
  }
  return {
    data,
    file,
    path: (name) => join(fresh.path, name),
    rehearse: (draft, ...args) => runCommand(command, [file(draft), "--data", data, ...args]),
    [Symbol.dispose]: fresh[Symbol.dispose],
  }
}

async function importAll(folder: string, data: string): Promise<void> {
  const folders = writeSampleLists(join(folder, "lists"), { publishedAt: realMachine.now() - HOUR })
  const companies = join(folder, "companies")
  mkdirSync(companies)
  const day = formatInstant(realMachine.now() - DAY).slice(0, 10)
  const company = {
    CompanyName: GB_NAME,
    CompanyNumber: GB_NUMBER,
    CompanyStatus: "Active",
    IncorporationDate: "01/03/2016",
  }
  for (const { name, bytes } of bulkFiles("csv", 100, { day, changes: { 7: company } })) {
    writeFileSync(join(companies, name), bytes)
  }
  const imports = [...SOURCE_IDS.map((id) => [id, folders[id]]), ["UK_COMPANIES_HOUSE", companies]] as const
  for (const [id, path] of imports) {
    const ran = await runCommand(importSource, [id, path, "--data", data])
    if (ran.exit !== 0) throw new Error(`${id} was not imported: ${ran.out}${ran.err}`)
  }
}
