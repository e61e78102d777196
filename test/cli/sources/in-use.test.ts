/** What an import tells its operator: what is in use, how old it is, when it goes stale, what is missing for which answers, and what is next. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { readInput } from "../../../src/cli/command.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { DAY, HOUR } from "../../../src/core/time.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { realMachine } from "../../../src/machine.ts"
import type { SourceId } from "../../../src/sources/records/party.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { type Ran, runCommand } from "../../fixtures/terminal.ts"

const fresh = freshDirectory()
/** A shell would split it, so printed commands must quote it. */
const data = join(fresh.path, "my data")
const DATA = `--data '${data}'`
let lists: Readonly<Record<SourceId, string>>

beforeAll(async () => {
  await createDataDirectory(data, "test", realMachine)
  lists = writeSampleLists(join(fresh.path, "lists"), { publishedAt: realMachine.now() - 5 * HOUR })
})
afterAll(() => fresh[Symbol.dispose]())

const bring = (id: SourceId, ...flags: string[]): Promise<Ran> =>
  runCommand(importSource, [id, lists[id], "--data", data, ...flags])

/** The rows after the report of the import itself. */
function overview({ out }: Ran): readonly string[] {
  return out.slice(out.indexOf("\n\n") + 2).split("\n")
}

test("the first of several lists: the others are named as missing for US answers, and one fetch brings them", async () => {
  const rows = overview(await bring("US_OFAC_SDN"))
  expect(rows).toEqual([
    "in use       US_OFAC_CONSOLIDATED  missing",
    expect.stringMatching(
      /^ {13}US_OFAC_SDN {11}5 entries, retrieved 5 hours ago, stale in \d+ \w+ \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\)$/,
    ),
    "             US_SAM_EXCLUSIONS     missing",
    "             US_TRADE_CSL          missing",
    "             UK_SANCTIONS_LIST     missing",
    "             UK_COMPANIES_HOUSE    missing",
    "",
    "US answers   need US_OFAC_CONSOLIDATED, US_SAM_EXCLUSIONS, US_TRADE_CSL: missing",
    "UK answers   need UK_SANCTIONS_LIST, UK_COMPANIES_HOUSE: missing",
    "",
    `next         bizauth sources fetch ${DATA}`,
    `             or bizauth sources import US_OFAC_CONSOLIDATED PATH ${DATA}`,
    `then         bizauth serve ${DATA}`,
    "",
  ])
})

test("a list that is switched off is named, and no command fetches it", async () => {
  const rows = overview(await bring("US_OFAC_CONSOLIDATED", "--sources-disabled", "US_TRADE_CSL"))
  expect(rows).toContain("             US_TRADE_CSL          switched off by sources_disabled")
  expect(rows).toContain("US answers   need US_SAM_EXCLUSIONS: missing; US_TRADE_CSL: DISABLED")
  expect(rows.slice(rows.findIndex((row) => row.startsWith("next")))).toEqual([
    `next         bizauth sources fetch US_SAM_EXCLUSIONS ${DATA}`,
    `             or bizauth sources import US_SAM_EXCLUSIONS PATH ${DATA}`,
    "             US_TRADE_CSL: take out of sources_disabled",
    `then         bizauth serve ${DATA}`,
    "",
  ])
})

test("a stale list is still lacking, and says since when", async () => {
  const publishedAt = realMachine.now() - 40 * DAY
  const old = writeSampleLists(join(fresh.path, "old"), { publishedAt, edition: "an earlier edition" })
  const rows = overview(await runCommand(importSource, ["US_TRADE_CSL", old.US_TRADE_CSL, "--data", data]))
  expect(rows).toContainEqual(
    expect.stringMatching(/^ {13}US_TRADE_CSL {10}\d+ entries, retrieved 40 days ago, STALE, stale since \d{4}-/),
  )
  expect(rows).toContain("US answers   need US_SAM_EXCLUSIONS: missing; US_TRADE_CSL: STALE")
})

test("with every US list the next commands are a screening and the server; the UK register has its own", async () => {
  await bring("US_TRADE_CSL")
  await bring("UK_SANCTIONS_LIST")
  const ran = await bring("US_SAM_EXCLUSIONS")
  const rows = overview(ran)
  expect(rows).toContain("US answers   every list that they need is in use and current")
  expect(rows.slice(rows.findIndex((row) => row.startsWith("next")))).toEqual([
    `next         bizauth screen "A NAME" ${DATA}`,
    `then         bizauth serve ${DATA}`,
    `for the UK   bizauth sources fetch UK_COMPANIES_HOUSE ${DATA}`,
    "",
  ])
})

test("with the live register set up, UK answers need no imported one", async () => {
  const key = join(fresh.path, "companies-house.key")
  writeFileSync(key, "not-a-real-key\n", { mode: 0o600 })
  const rows = overview(await bring("UK_SANCTIONS_LIST", "--uk-companies-house-key-file", key))
  expect(rows).toContain("UK answers   every list that they need is in use and current")
  expect(rows.join("\n")).not.toContain("UK_COMPANIES_HOUSE")
})

test("the commands to copy name the configuration file that this command used", async () => {
  const config = join(fresh.path, "other.toml")
  writeFileSync(config, 'log_level = "warn"\n')
  const rows = overview(await bring("UK_SANCTIONS_LIST", "--config", config))
  expect(rows).toContain(`then         bizauth serve ${DATA} --config ${config}`)
})

test("an import reports what it did, also when the settings become unreadable meanwhile", async () => {
  const config = join(fresh.path, "changing.toml")
  writeFileSync(config, "")
  const said: string[] = []
  const terminal = { out: (text: string) => void said.push(text), err: () => {}, environment: {} }
  const args = ["UK_SANCTIONS_LIST", lists.UK_SANCTIONS_LIST, "--data", data, "--config", config]
  const input = readInput(importSource, args, terminal)
  const step = () => writeFileSync(config, "no setting")
  const exit = await importSource.run({ ...input, progress: { ...input.progress, step } })
  expect([exit, said.join("")]).toEqual([0, expect.stringMatching(/^in use {2}/m)])
})

test("neither JSON nor a refused import has an overview", async () => {
  const json = await bring("US_OFAC_SDN", "--json")
  expect(json.out.trimEnd().split("\n")).toHaveLength(1)
  writeFileSync(join(lists.US_OFAC_SDN, "sdn.csv"), '90001,"VOSTOK')
  const refused = await bring("US_OFAC_SDN")
  expect([refused.exit, refused.out.includes("in use  ")]).toEqual([3, false])
})
