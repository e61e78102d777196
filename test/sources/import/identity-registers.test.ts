/** The registers of federal identifiers, from the publishers' files to the fact of a decision, through the operator's command. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { DAY } from "../../../src/core/time.ts"
import { createDataDirectory, openDataDirectory } from "../../../src/data/data-directory.ts"
import { lookUpRegistration } from "../../../src/products/us/registration.ts"
import { openRegisters } from "../../../src/sources/boards/open-register-board.ts"
import { REGISTER_ADAPTERS } from "../../../src/sources/register-registry.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { goldenCopy, leiRow } from "../../fixtures/lei-golden-copy.ts"
import { zipped } from "../../fixtures/register-files.ts"
import { samExtract, samLine } from "../../fixtures/sam-entity-extract.ts"
import { runCommand } from "../../fixtures/terminal.ts"

/** The publications are of yesterday, because a register that is too old is not looked up. */
const DATE = new Date(realMachine.now() - DAY).toISOString().slice(0, 10).replaceAll("-", "")
const SAM = `SAM_PUBLIC_UTF-8_MONTHLY_V2_${DATE}`
const LEI = `${DATE}-0800-gleif-goldencopy-lei2-golden-copy.csv`
const NAME = "Harbor Light Instruments LLC"

const PUBLICATIONS = {
  US_SAM_ENTITY: [`${SAM}.ZIP`, zipped(`${SAM}.dat`, samExtract([samLine({})]))],
  GLEIF_LEI: [`${LEI}.zip`, zipped(LEI, goldenCopy([leiRow({})]))],
  US_SEC_EDGAR: ["company_tickers.json", JSON.stringify({ 0: { cik_str: 320193, ticker: "HLI", title: NAME } })],
} as const

test("each publication's statement about a supplier reaches the decision, and an identifier in none of them is not found", async () => {
  using directory = freshDirectory()
  const data = join(directory.path, "data")
  await createDataDirectory(data, "test", realMachine)
  for (const [id, [name, content]] of Object.entries(PUBLICATIONS)) {
    const path = join(directory.path, name)
    writeFileSync(path, content)
    const ran = await runCommand(importSource, [id, path, "--data", data])
    expect([ran.err, ran.exit]).toEqual(["", 0])
  }
  const { store, paths } = await openDataDirectory(data, { machine: realMachine, migrate: false, onFatal: () => {} })
  const log = createLog("error", () => {}, realMachine.now)
  const parts = { store, root: paths.snapshots, machine: realMachine, log, adapters: REGISTER_ADAPTERS, disabled: [] }
  const registers = await openRegisters(parts)
  try {
    const ask = (identifiers: Record<string, string>, legal_name = NAME) =>
      lookUpRegistration(registers, { legal_name, identifiers }, realMachine.now())
    const all = ask({ lei: "5493001KJTIIGC8Y1R12", uei: "ZQGGHJH74DW7", cage: "1abc2", cik: "320193" })
    expect(all).toMatchObject({ found: true, name_agrees: true })
    expect(all?.lookups?.map(({ source_id, scheme, status }) => [source_id, scheme, status])).toEqual([
      ["GLEIF_LEI", "lei", "ISSUED"],
      ["US_SAM_ENTITY", "uei", "ACTIVE"],
      ["US_SAM_ENTITY", "cage", "ACTIVE"],
      ["US_SEC_EDGAR", "cik", null],
    ])
    expect(ask({ uei: "AAAAAAAAAAA1" })).toMatchObject({ found: false, name_agrees: true })
    expect(ask({ uei: "ZQGGHJH74DW7" }, "Quiet Meadow Tools LLC")).toMatchObject({ found: true, name_agrees: false })
    // A register smaller than the publisher's cannot prove an absence.
    expect(ask({ cik: "7" })).toMatchObject({ found: false, lookups: [{ is_incomplete: true }] })
  } finally {
    registers.close()
    await store.close()
  }
})
