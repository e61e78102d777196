/** What an import tells its operator: what is in use, how old it is, when it goes stale, what is missing for which answers, and what is next. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as check } from "../../../src/cli/check.ts"
import { readInput } from "../../../src/cli/command.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { command as sourcesStatus } from "../../../src/cli/sources/status.ts"
import { DAY, HOUR } from "../../../src/core/time.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import type { Line } from "../../../src/data/self-check/line.ts"
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
      /^ {13}US_OFAC_SDN {11}5 entries, published unknown, retrieved 5 hours ago, stale in \d+ \w+ \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\)$/,
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
    expect.stringMatching(
      /^ {13}US_TRADE_CSL {10}\d+ entries, published unknown, retrieved 40 days ago, STALE, stale since \d{4}-/,
    ),
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

test("lists of 2021 that a person accepted are not current: import, status, check and the answer of the product say the same", async () => {
  const live = join(fresh.path, "live")
  await createDataDirectory(live, "live", realMachine, { logHost: "decisions.example" })
  const old = writeSampleLists(join(fresh.path, "of 2021"), { publishedAt: Date.UTC(2021, 6, 7) })
  const accepted = ["--accept-old", "no newer file at hand", "--accept-small", "a sample"]
  const published = ["--published-at", "2021-07-07T00:00:00Z"]
  let ran: Ran | null = null
  for (const id of ["US_OFAC_SDN", "US_OFAC_CONSOLIDATED", "US_SAM_EXCLUSIONS", "US_TRADE_CSL"] as const) {
    ran = await runCommand(importSource, [id, old[id], "--data", live, ...published, ...accepted])
    expect([id, ran.exit, ran.err]).toEqual([id, 0, ""])
  }
  const row = overview(ran as Ran).find((line) => line.startsWith("US answers"))
  expect(row).toContain("every one with a condition, but no Payment Decision; that needs")
  const status = await runCommand(sourcesStatus, ["--data", live, "--json"])
  const { sources } = JSON.parse(status.out) as { sources: { source_id: string; sold_with: string }[] }
  expect(sources.map((one) => [one.source_id, one.sold_with])).toEqual([
    ["US_OFAC_CONSOLIDATED", "NO_PAYMENT_DECISION"],
    ["US_OFAC_SDN", "NO_PAYMENT_DECISION"],
    ["US_SAM_EXCLUSIONS", "NO_PAYMENT_DECISION"],
    ["US_TRADE_CSL", "NO_PAYMENT_DECISION"],
    ["UK_SANCTIONS_LIST", "NOTHING"],
  ])
  expect((await runCommand(sourcesStatus, ["--data", live])).out).toContain("  no Payment Decision is sold with it\n")
  const checked = await runCommand(check, ["--data", live, "--offline", "--json"])
  const { lines } = JSON.parse(checked.out) as { lines: Line[] }
  const sdn = lines.find(({ name }) => name === "US_OFAC_SDN")
  expect([sdn?.state, sdn?.what.endsWith("; no Payment Decision is sold with it")]).toEqual(["PROBLEM", true])
})
