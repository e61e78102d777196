import { expect, test } from "bun:test"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as changes } from "../../../src/cli/screening/changes.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { BLOCKED_ORGANISATION } from "../../fixtures/sample-parties.ts"
import { openScreeningOperator, type ScreeningOperator } from "../../fixtures/screening-operator.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const slow = slowTests(import.meta.path)
const SDN = "US_OFAC_SDN"
const HEADER = "id,name,type,country\n"

const since = (operator: ScreeningOperator, at: string, ...args: string[]) =>
  runCommand(changes, ["--since", at, "--data", operator.data, ...args])

/** Imports the SDN list again, with another entry. Returns a time between both imports. */
async function changed(operator: ScreeningOperator, edition = "next"): Promise<string> {
  await Bun.sleep(5)
  const between = formatInstant(realMachine.now())
  await Bun.sleep(5)
  const extraSdn = [{ number: 95_001, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }]
  const lists = writeSampleLists(join(operator.data, `../${edition}`), {
    publishedAt: realMachine.now(),
    edition,
    extraSdn,
  })
  const ran = await runCommand(importSource, [SDN, lists[SDN], "--data", operator.data])
  expect([ran.exit, ran.err]).toEqual([0, ""])
  return between
}

slow("names what each list added since a time, as text and as JSON", async () => {
  using operator = await openScreeningOperator()
  const between = await changed(operator)
  const { exit, out } = await since(operator, between)
  expect(exit).toBe(0)
  expect(out).toContain(`${SDN}  1 added, 0 changed, 0 removed\n  from snp_`)
  expect(out).toContain("  added    95001  ZEPHYR MARLOWE SYNDICATE  (org, list SDN, measure block, programs SDGT)\n")
  expect(out).toContain("US_TRADE_CSL  0 added, 0 changed, 0 removed\n")
  const json = JSON.parse((await since(operator, between, "--json")).out)
  expect(json).toMatchObject({ version: 1, since: between, complete: true })
  const sdn = json.lists.find((one: { source_id: string }) => one.source_id === SDN)
  expect([sdn.added.map((one: { entry_id: string }) => one.entry_id), sdn.changed, sdn.removed]).toEqual([
    ["95001"],
    [],
    [],
  ])
  // Nothing was imported at the start of this century, so everything is new since then.
  expect((await since(operator, "2001-01-01")).out).toContain("from nothing to snp_")
})

slow("--customers writes a row for each customer that the change touches, with both states", async () => {
  using operator = await openScreeningOperator()
  const between = await changed(operator)
  const names = ["1,Zephyr Marlowe Syndicat,org,", `2,${BLOCKED_ORGANISATION},org,`, "3,Ann Moss,,"]
  const file = operator.file(`${HEADER}${names.join("\n")}\n`)
  const { exit, err, out } = await since(operator, between, "--customers", file)
  expect([exit, err]).toEqual([0, ""])
  const [header, row, ...rest] = out.split("\n")
  expect(header).toBe(
    "id,name,state_before,state,best_score,basis,source_id,entry_id,matched_name,changed_entries,reason",
  )
  expect(row).toMatch(
    /^1,Zephyr Marlowe Syndicat,CLEAR,(?:POSSIBLE_)?MATCH,0\.9\d+,FUZZY_NAME,US_OFAC_SDN,95001,ZEPHYR MARLOWE SYNDICATE,US_OFAC_SDN 95001,/,
  )
  expect(rest).toEqual([""])
  const line = JSON.parse((await since(operator, between, "--customers", file, "--json")).out)
  expect(line).toMatchObject({ id: "1", state_before: "CLEAR", changed_entries: ["US_OFAC_SDN 95001"] })
})

slow("an earlier list that is not kept is named, and no customer is screened without it", async () => {
  using operator = await openScreeningOperator()
  const between = await changed(operator)
  const folder = join(operator.data, "snapshots", SDN)
  const ids = JSON.parse((await since(operator, between, "--json")).out).lists.find(
    (one: { source_id: string }) => one.source_id === SDN,
  )
  expect(readdirSync(folder)).toContain(ids.before.snapshot_id)
  rmSync(join(folder, ids.before.snapshot_id), { recursive: true })
  const text = await since(operator, between)
  expect([text.exit as number, text.err]).toEqual([4, expect.stringContaining(`not compared  ${SDN}: `)])
  expect(text.out).toContain(`${SDN}  NOT COMPARED: `)
  const refused = await since(operator, between, "--customers", operator.file(`${HEADER}1,Ann Moss,,\n`))
  expect([refused.exit as number, refused.out]).toEqual([4, ""])
  expect(refused.err).toContain("no customer was screened: what changed is not known completely")
})

test("--since and the flags of customers are checked", async () => {
  for (const [args, why] of [
    [["--since", "yesterday"], "--since is a day as YYYY-MM-DD"],
    [["--since", "2026-02-30"], "--since is a day as YYYY-MM-DD"],
    [["--since", "2999-01-01"], "is after now"],
    [["--since", "2026-01-01", "--tolerance", "LOW"], "--tolerance goes with --customers"],
  ] as const) {
    const ran = await runCommand(changes, [...args, "--data", "nowhere"])
    expect([ran.exit as number, ran.err]).toEqual([2, expect.stringContaining(why)])
  }
})
