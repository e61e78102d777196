import { expect } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import type { Command } from "../../../src/cli/command.ts"
import { command as company } from "../../../src/cli/company/company.ts"
import { command as exportSource } from "../../../src/cli/sources/export.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { command as keygen } from "../../../src/cli/sources/keygen.ts"
import { command as rollback } from "../../../src/cli/sources/rollback.ts"
import { command as status } from "../../../src/cli/sources/status.ts"
import { command as verifySource } from "../../../src/cli/sources/verify.ts"
import { command as suppress } from "../../../src/cli/suppressions/add.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { bulkFiles, companyCells, companyNumber } from "../../fixtures/companies-house-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const REGISTER = "UK_COMPANIES_HOUSE"
const ROWS = 150

/** The publication of so many days ago. */
function dayBefore(days: number): string {
  return formatInstant(realMachine.now() - days * DAY).slice(0, 10)
}

async function operator() {
  const fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await createDataDirectory(data, "test", realMachine)
  const call = (command: Command, ...args: string[]) => runCommand(command, [...args, "--data", data])
  let folders = 0
  return {
    data,
    server: join(data, "snapshots", REGISTER),
    call,
    bring(day: string, rows = ROWS, ...flags: string[]) {
      const folder = join(fresh.path, `files-${++folders}`)
      mkdirSync(folder)
      for (const { name, bytes } of bulkFiles("zip", rows, { day })) writeFileSync(join(folder, name), bytes)
      return call(importSource, REGISTER, folder, ...flags)
    },
    [Symbol.dispose]: fresh[Symbol.dispose],
  }
}

test("an imported register answers a lookup by number, as text and as JSON, with source, day and age", async () => {
  using op = await operator()
  const day = dayBefore(3)
  const imported = await op.bring(day)
  expect([imported.exit, imported.out]).toEqual([
    0,
    expect.stringContaining(`imported  ${REGISTER}  ${day}\n  entries ${ROWS}  rows ${ROWS}  unreadable 0\n`),
  ])
  const number = companyNumber(40)
  const words = await op.call(company, number)
  expect(words.exit).toBe(0)
  expect(words.out).toStartWith(`${number}  ${companyCells(40)["CompanyName"]}\n`)
  expect(words.out).toContain(`${REGISTER} HEALTHY, as of ${day}T00:00:00.000Z, 3 days old`)
  const json = JSON.parse((await op.call(company, number.replace(/^0+/, ""), "--json")).out)
  expect(json).toMatchObject({ version: 1, source_id: REGISTER, health: "HEALTHY", record: { company_number: number } })
  expect([json.snapshot.source_version, json.age_seconds >= 3 * 86_400]).toEqual([day, true])
  expect((await op.call(status)).out).toMatch(/UK_COMPANIES_HOUSE +HEALTHY +FRESH +150 entries/)
  const { registers } = JSON.parse((await op.call(status, "--json")).out)
  const [server] = registers.filter((one: { source_id: string }) => one.source_id === REGISTER)
  expect(server).toMatchObject({ health: "HEALTHY", snapshot: { entries: ROWS } })
})

test("a rejected import exits with 3 and prints the reason on both outputs, and the old register stays active", async () => {
  using op = await operator()
  await op.bring(dayBefore(30))
  const refused = await op.bring(dayBefore(3), 20)
  expect([refused.exit, refused.out]).toEqual([3, expect.stringContaining("hard  SHRUNK  entries: 150 before, 20 now")])
  expect(refused.out).toContain("the active snapshot is unchanged")
  const digest = /raw (sha256:[0-9a-f]{64})/.exec(refused.out)?.[1] ?? ""
  expect((await op.call(company, companyNumber(40))).exit).toBe(0)
  expect((await op.call(status)).out).toMatch(/UK_COMPANIES_HOUSE .*\n(?: {2}.*\n)* {2}last import refused .*\n/)
  const accepted = await op.bring(dayBefore(3), 20, "--accept-shrink", digest, "--json")
  expect([accepted.exit, JSON.parse(accepted.out).counts]).toEqual([
    0,
    expect.objectContaining({ entries: 20, failed: 0 }),
  ])
  expect((await op.call(company, companyNumber(40))).exit).toBe(4)
  expect((await op.call(rollback, REGISTER)).out).toContain(dayBefore(30))
  expect((await op.call(company, companyNumber(40))).exit).toBe(0)
})

test("a register that is too old still answers, with exit 4", async () => {
  using op = await operator()
  await op.bring(dayBefore(46))
  const ran = await op.call(company, companyNumber(40), "--json")
  expect([ran.exit as number, JSON.parse(ran.out).health]).toEqual([4, "STALE"])
})

const cases: readonly [what: string, args: readonly string[], exit: number, says: string][] = [
  ["a number no company can have", ["1234567890"], 2, "a company number is 8 characters"],
  ["a number that a sample of the register lacks", ["99999999"], 4, "so a missing 99999999 proves nothing"],
  ["a register that is switched off", [companyNumber(1), "--sources-disabled", REGISTER], 4, "switched off"],
]
test.each(cases)("%s", async (_what, args, exit, says) => {
  using op = await operator()
  await op.bring(dayBefore(3))
  const ran = await op.call(company, ...args)
  expect([ran.exit as number, ran.out, ran.err]).toEqual([exit, "", expect.stringContaining(says)])
})

test("a missing, lost or changed register exits with 4 and the error says how to fix it", async () => {
  using op = await operator()
  const none = await op.call(company, companyNumber(1))
  expect([none.exit as number, none.err]).toEqual([4, expect.stringContaining(`bizauth sources import ${REGISTER}`)])
  await op.bring(dayBefore(3))
  const [id = ""] = readdirSync(op.server).filter((name) => name.startsWith("snp_"))
  const path = join(op.server, id, "register.sqlite")
  const bytes = readFileSync(path)
  const at = bytes.lastIndexOf(companyCells(1)["CompanyName"] ?? "?")
  bytes[at] = 63
  writeFileSync(path, bytes)
  const damaged = await op.call(company, companyNumber(1))
  expect([damaged.exit as number, damaged.err]).toEqual([4, expect.stringContaining("damaged")])
  rmSync(path)
  expect((await op.call(company, companyNumber(1))).exit as number).toBe(4)
  expect((await op.call(status)).out).toMatch(/UK_COMPANIES_HOUSE +UNAVAILABLE/)
})

test("sources verify checks every stored byte of the register", async () => {
  using op = await operator()
  await op.bring(dayBefore(3))
  expect((await op.call(verifySource, REGISTER)).out).toMatch(/^ok .* ACTIVE /)
  const [id = ""] = readdirSync(op.server).filter((name) => name.startsWith("snp_"))
  writeFileSync(join(op.server, id, `BasicCompanyDataAsOneFile-${dayBefore(3)}.zip`), "PK")
  const ran = await op.call(verifySource, REGISTER, "--json")
  expect([ran.exit as number, JSON.parse(ran.out).snapshots[0].fault]).toEqual([
    3,
    expect.stringContaining("other bytes"),
  ])
})

test("an unpinned manifest key is rejected, as for lists", async () => {
  using op = await operator()
  await op.bring(dayBefore(3))
  const [id = ""] = readdirSync(op.server).filter((name) => name.startsWith("snp_"))
  const pinned = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
  const ran = await op.call(importSource, REGISTER, join(op.server, id), "--source-manifest-keys", pinned)
  expect([ran.exit as number, ran.out]).toEqual([3, expect.stringContaining("hard  UNSIGNED")])
})

test("a command for lists only rejects a register", async () => {
  using op = await operator()
  const judged = ["--reason", "r", "--author", "a", "--until", formatInstant(realMachine.now() + DAY)]
  const ran = await op.call(suppress, "--name", "Anybody", "--entry", `${REGISTER}:00000001`, ...judged)
  expect([ran.exit as number, ran.err]).toEqual([2, expect.stringContaining("is a register; this is for the lists")])
})

test("export and import carry a register as a signed folder, and a changed folder is rejected", async () => {
  using op = await operator()
  using folder = await operator()
  const day = dayBefore(3)
  await op.bring(day)
  const [out, key] = [join(op.data, "..", "stick"), join(op.data, "..", "snapshots.key")]
  const { x } = JSON.parse((await runCommand(keygen, ["--out", key, "--json"])).out)
  const pinned = `--source-manifest-keys=${x}`
  expect((await op.call(exportSource, REGISTER, "--out", `${out}.tar`)).exit as number).toBe(2)
  expect((await op.call(exportSource, REGISTER, "--out", out, "--key", key)).exit).toBe(0)
  const verified = await runCommand(verifySource, [out, `--key=${x}`, "--json"])
  expect([verified.exit, JSON.parse(verified.out)]).toMatchObject([
    0,
    { source_id: REGISTER, signature: { state: "VALID" } },
  ])
  expect((await runCommand(verifySource, [out])).out).toStartWith(`valid  ${REGISTER}\n`)
  expect((await folder.call(importSource, REGISTER, out, pinned)).exit).toBe(0)
  expect((await folder.call(company, companyNumber(40))).out).toContain(`as of ${day}T00:00:00.000Z`)

  writeFileSync(join(out, `BasicCompanyDataAsOneFile-${day}.zip`), bulkFiles("zip", ROWS + 1, { day })[0]?.bytes ?? "")
  const changed = await runCommand(verifySource, [out, `--key=${x}`])
  expect([changed.exit as number, changed.out.includes("hard  CORRUPT")]).toEqual([3, true])
  expect((await folder.call(importSource, REGISTER, out, pinned)).exit as number).toBe(3)
})

test("the error for an unknown id lists the registers too", async () => {
  using op = await operator()
  const ran = await op.call(importSource, "UK_COMPANY_HOUSE", op.data)
  expect([ran.exit as number, ran.err]).toEqual([2, expect.stringContaining(`did you mean ${REGISTER}`)])
})
