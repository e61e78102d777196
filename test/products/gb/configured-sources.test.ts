/** The states of the two UK sources in a whole service, by its configuration and the operator's imports. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GB_PAYMENT_PRODUCT } from "../../../schemas/gb/payment.ts"
import type { SettingName } from "../../../src/base/config.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { sliceOf } from "../../../src/products/product-slices.ts"
import { bulkFiles } from "../../fixtures/companies-house-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { gbPaymentBody } from "../../fixtures/gb.ts"
import { newDataDirectory } from "../../fixtures/new-data-directory.ts"
import { testServiceOn } from "../../fixtures/service.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { ukSanctionsFile } from "../../fixtures/uk-sanctions-list.ts"

let directory: ReturnType<typeof freshDirectory>
let serial = 0
beforeAll(() => {
  directory = freshDirectory()
})
afterAll(() => directory[Symbol.dispose]())

const REGISTER = ["UK_COMPANIES_HOUSE", bulkFiles("zip", 40, { day: formatInstant(Date.now()).slice(0, 10) })] as const
const LIST = ["UK_SANCTIONS_LIST", [ukSanctionsFile({ publishedAt: Date.now() })]] as const

async function sourceStates(
  imports: readonly (typeof REGISTER | typeof LIST)[],
  settings: Partial<Record<SettingName, string>> = {},
) {
  const folder = join(directory.path, String(++serial))
  mkdirSync(folder)
  const made = await newDataDirectory(folder)
  const { path: data, databaseFile } = made
  for (const [id, files] of imports) {
    const at = join(folder, id)
    mkdirSync(at)
    for (const { name, bytes } of files) writeFileSync(join(at, name), bytes)
    const ran = await runCommand(importSource, [id, at, "--data", data])
    if (ran.exit !== 0) throw new Error(ran.out + ran.err)
  }
  const { service } = await testServiceOn(data, realMachine, {
    ...settings,
    ...(databaseFile !== null && { database_file: databaseFile }),
  })
  try {
    const requests = sliceOf(service.slices, GB_PAYMENT_PRODUCT).product.sources(gbPaymentBody(), Date.now())
    return Object.fromEntries(
      requests.map(({ sourceId, health, neverSetUp }) => [sourceId, neverSetUp ? "NEVER_SET_UP" : health]),
    )
  } finally {
    await service.close()
    await made.close()
  }
}

const keyFile = () => {
  const path = join(directory.path, `key-${++serial}`)
  writeFileSync(path, "an-api-key-of-somebody\n")
  chmodSync(path, 0o600)
  return path
}

test("without an import and a key both sources are not configured", async () => {
  expect(await sourceStates([])).toEqual({ UK_COMPANIES_HOUSE: "NEVER_SET_UP", UK_SANCTIONS_LIST: "NEVER_SET_UP" })
})

test("with both imported both sources are available", async () => {
  expect(await sourceStates([REGISTER, LIST])).toEqual({ UK_COMPANIES_HOUSE: "HEALTHY", UK_SANCTIONS_LIST: "HEALTHY" })
})

test("a key for the live register replaces the file", async () => {
  expect(await sourceStates([LIST], { uk_companies_house_key_file: keyFile() })).toEqual({
    UK_COMPANIES_HOUSE: "HEALTHY",
    UK_SANCTIONS_LIST: "HEALTHY",
  })
})

test("a source that the operator disabled is off, imported or not, with or without a key", async () => {
  const disabled = { sources_disabled: "UK_COMPANIES_HOUSE,UK_SANCTIONS_LIST" }
  for (const settings of [disabled, { ...disabled, uk_companies_house_key_file: keyFile() }]) {
    expect(await sourceStates([REGISTER, LIST], settings)).toEqual({
      UK_COMPANIES_HOUSE: "DISABLED",
      UK_SANCTIONS_LIST: "DISABLED",
    })
  }
})
