/** A right that was taken back after the backup comes back with the restore: it is paused, named, and confirmed one by one. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { command as backup } from "../../../src/cli/backup/backup.ts"
import { command as check } from "../../../src/cli/check.ts"
import type { Command } from "../../../src/cli/command.ts"
import { command as restore } from "../../../src/cli/restore.ts"
import { command as screen } from "../../../src/cli/screening/screen.ts"
import { command as add } from "../../../src/cli/suppressions/add.ts"
import { command as confirm } from "../../../src/cli/suppressions/confirm.ts"
import { command as list } from "../../../src/cli/suppressions/list.ts"
import { command as revoke } from "../../../src/cli/suppressions/revoke.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { openScreeningOperator, type ScreeningOperator } from "../../fixtures/screening-operator.ts"
import { runCommand } from "../../fixtures/terminal.ts"

setDefaultTimeout(120_000)

/** Matches the listed VOSTOK MERIDIAN TRADING LLC. */
const NAME = "Vostok Meridian LLC"
const WHO = ["--reason", "register extract", "--author", "R. Reviewer"]

let operator: ScreeningOperator
let folder: ReturnType<typeof freshDirectory>
const at = (name: string) => join(folder.path, name)
beforeEach(async () => {
  folder = freshDirectory()
  operator = await openScreeningOperator()
  writeFileSync(at("passphrase"), "correct horse battery\n", { mode: 0o600 })
})
afterEach(() => {
  operator[Symbol.dispose]()
  folder[Symbol.dispose]()
})

async function done(command: Command, ...args: string[]): Promise<string> {
  const ran = await runCommand(command, args)
  if (ran.exit !== 0) throw new Error(`${ran.exit} ${ran.err}${ran.out}`)
  return ran.out
}
const KEYS = () => ["--passphrase-file", at("passphrase")]
const backedUp = () =>
  done(backup, at("backup.tar.zst"), "--data", operator.data, "--include-lists", "--include-keys", ...KEYS())
const restored = (...flags: string[]) =>
  done(restore, at("backup.tar.zst"), "--data", at("restored"), ...KEYS(), ...flags)
const stateOf = async (data: string) => (await done(screen, NAME, "--type", "org", "--data", data)).split("  ")[0]
const lineOf = async (name: string) => {
  const ran = await runCommand(check, ["--offline", "--json", "--data", at("restored")])
  const { lines } = JSON.parse(ran.out) as {
    lines: readonly { name: string; state: string; what: string; mend: string }[]
  }
  return lines.find((line) => line.name === name)
}

const JUDGEMENT = () => {
  const until = formatInstant(Date.now() + 30 * DAY)
  return ["--name", NAME, "--type", "org", "--entry", "US_OFAC_SDN:90001", ...WHO, "--until", until]
}
async function judged(): Promise<string> {
  const out = await done(add, ...JUDGEMENT(), "--data", operator.data)
  return /sup_[A-Za-z0-9_-]{22}/.exec(out)?.[0] ?? ""
}

test("a judgement that was revoked after the backup clears nobody after the restore, until a person confirms it", async () => {
  const id = await judged()
  await backedUp()
  await done(revoke, id, "--reason", "wrong file", "--author", "S. Second", "--data", operator.data)
  expect(await stateOf(operator.data)).toBe("POSSIBLE_MATCH")

  const report = await restored()
  expect(report).toMatch(/^paused {3}1 judgement of bizauth suppressions: .*suppressions confirm ID/m)
  const data = at("restored")
  expect(await stateOf(data)).toBe("POSSIBLE_MATCH")
  expect(await done(list, "--data", data)).toStartWith(`PAUSED    ${id}  `)
  expect(await lineOf("paused")).toMatchObject({ state: "NOTE", what: expect.stringContaining("1 judgement") })

  await done(confirm, id, ...WHO, "--data", data)
  expect(await stateOf(data)).toBe("CLEAR")
  expect(await done(list, "--data", data)).toStartWith(`IN_FORCE  ${id}  `)
  expect(await lineOf("paused")).toMatchObject({ state: "OK" })
  expect((await runCommand(confirm, [id, ...WHO, "--data", data])).exit).toBe(3)
  expect((await runCommand(confirm, ["sup_none", ...WHO, "--data", data])).exit).toBe(5)
})

test("a judgement that is confirmed is paused again by the next restore, and counts after the declaration", async () => {
  const id = await judged()
  await backedUp()
  await restored()
  await done(confirm, id, ...WHO, "--data", at("restored"))
  await done(backup, at("again.tar.zst"), "--data", at("restored"), "--include-lists", "--include-keys", ...KEYS())
  await done(restore, at("again.tar.zst"), "--data", at("second"), ...KEYS())
  expect(await stateOf(at("second"))).toBe("POSSIBLE_MATCH")
  await done(restore, "--backup-is-newest", "--data", at("second"))
  expect(await stateOf(at("second"))).toBe("CLEAR")
})

test("a paused judgement is not judged again but confirmed; after its revocation a new one counts at once, and it cannot be confirmed", async () => {
  const id = await judged()
  await backedUp()
  await restored()
  const data = at("restored")
  const again = await runCommand(add, [...JUDGEMENT(), "--data", data])
  expect([again.exit, again.err.split("\n").at(-1)]).toEqual([
    3,
    `${id} says so, but a restore paused it, so it does not count: bizauth suppressions confirm ${id}`,
  ])
  await done(revoke, id, ...WHO, "--data", data)
  expect((await runCommand(confirm, [id, ...WHO, "--data", data])).exit).toBe(3)
  await done(add, ...JUDGEMENT(), "--data", data)
  expect(await stateOf(data)).toBe("CLEAR")
})
