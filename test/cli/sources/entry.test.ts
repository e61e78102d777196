import { afterAll, beforeAll, expect, test } from "bun:test"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as screen } from "../../../src/cli/screening/screen.ts"
import { command as entry } from "../../../src/cli/sources/entry.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const HOSTILE = "<img src=x onerror=1>\u202eEVIL\u0007 </script> LLC"
const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const data = join(fresh.path, "data")
const publishedAt = Date.now() - 3_600_000
const SDN = "US_OFAC_SDN"

const show = (operand: string, ...args: string[]) => runCommand(entry, [operand, "--data", data, ...args])
const bring = async (name: string, options: object, ...args: string[]) => {
  const folders = writeSampleLists(join(fresh.path, name), { publishedAt, ...options })
  return await runCommand(importSource, [SDN, folders[SDN], "--data", data, ...args])
}
const extra = { extraSdn: [{ number: 90300, name: HOSTILE, programs: ["SDGT"], remarks: HOSTILE }] }
let first = ""

beforeAll(async () => {
  await createDataDirectory(data, "test", realMachine)
  expect((await bring("first", extra)).exit).toBe(0)
  first = JSON.parse((await show(`${SDN}:90001`, "--json")).out).snapshot_id
})

test("an entry is shown as its publisher prints it, as text, JSON and a page", async () => {
  const text = await show(`${SDN}:90002`)
  expect([text.exit, text.err]).toEqual([0, ""])
  for (const line of [
    "born         14 Mar 1968",
    "born in      Grodno, Belarus",
    "gender       Male",
    "Passport     XK0000017",
  ])
    expect(text.out).toContain(line)
  const { version, entry: details, details_version } = JSON.parse((await show(`${SDN}:90002`, "--json")).out)
  expect([version, details_version]).toEqual([1, "us-ofac-sdn-details/1.0.0"])
  expect(details).toMatchObject({ entry_id: "90002", gender: ["Male"], type: ["individual"] })
  const page = await show(`${SDN}:90002`, "--html")
  expect(page.out).toStartWith("<!doctype html>")
  expect(page.out).toContain("Grodno, Belarus")
})

test("a damaged line is built again from the kept files; if these are damaged too, the error has a way out", async () => {
  const at = (name: string) => join(data, "snapshots", SDN, first, name)
  const flip = (name: string, text: string) => {
    const bytes = readFileSync(at(name))
    bytes[bytes.indexOf(text) + 1]! ^= 1
    writeFileSync(at(name), bytes)
  }
  const before = readFileSync(at("details.jsonl"))
  flip("details.jsonl", "VOSTOK")
  expect(await show(`${SDN}:90001`)).toMatchObject({ exit: 0, err: "", out: expect.stringContaining("VOSTOK") })
  expect(readFileSync(at("details.jsonl")).equals(before)).toBe(true)

  const kept = readFileSync(at("sdn.csv"))
  flip("sdn.csv", "VOSTOK")
  flip("details.jsonl", "VOSTOK")
  const refused = await show(`${SDN}:90001`)
  writeFileSync(at("sdn.csv"), kept)
  expect(refused.exit).toBe(4)
  expect(refused.err).toContain("the line of 90001 has other bytes than its index states")
  expect(refused.err).toContain("the kept files have other bytes than recorded")
  expect(refused.err).toContain(`bizauth sources import ${SDN} PATH`)
  expect(await show(`${SDN}:90001`)).toMatchObject({ exit: 0, err: "" })
})

test("hostile texts of a list are text everywhere", async () => {
  const [text, page] = [await show(`${SDN}:90300`), await show(`${SDN}:90300`, "--html")]
  for (const { out } of [text, page]) for (const mark of ["\u0007", "\u202e"]) expect(out).not.toContain(mark)
  expect(page.out).not.toContain("<img")
  expect(page.out).toContain("&lt;img src=x onerror=1&gt;")
  expect(JSON.parse((await show(`${SDN}:90300`, "--json")).out).entry.names[0].text).toBe(HOSTILE)
})

test("an unknown entry, list or snapshot is exit 5 or 2, with the way out", async () => {
  expect(await show(`${SDN}:1`)).toMatchObject({ exit: 5, err: expect.stringContaining("has no entry 1 in snp_") })
  expect(await show("UK_SANCTIONS_LIST:AFG0001")).toMatchObject({
    exit: 5,
    err: expect.stringContaining("never imported"),
  })
  expect(await show(`${SDN}:1`, "--snapshot", "snp_none")).toMatchObject({ exit: 5 })
  expect(await show("90001")).toMatchObject({ exit: 2, err: expect.stringContaining("SOURCE:ID") })
  expect(await show("GLEIF_LEI:1")).toMatchObject({ exit: 2 })
  expect(await show(`${SDN}:1`, "--json", "--html")).toMatchObject({ exit: 2 })
})

test("screen prints the entry under each hit", async () => {
  const ran = await runCommand(screen, ["VOSTOK MERIDIAN TRADING LLC", "--data", data])
  expect(ran.out).toContain("as the publisher prints it:")
  expect(ran.out).toContain("    former name            MERIDIAN PACIFIC EXPORT LLC (fka)")
})

test("an entry that left the list is shown with the day, and exit 5; a kept snapshot still has it", async () => {
  const refused = await bring("second", { ...extra, withoutSdn: [90002] }, "--json")
  const { raw_sha256: digest } = JSON.parse(refused.out)
  const folders = join(fresh.path, "second", SDN)
  expect((await runCommand(importSource, [SDN, folders, "--data", data, "--accept-shrink", digest])).exit).toBe(0)
  const left = await show(`${SDN}:90002`)
  expect(left.exit).toBe(5)
  expect(left.out).toContain("left the list")
  expect(left.err).toContain("no longer had it")
  // A snapshot of a release without details gets them now.
  rmSync(join(data, "snapshots", SDN, first, "details.jsonl"))
  const kept = await show(`${SDN}:90002`, "--snapshot", first)
  expect([kept.exit, kept.err]).toEqual([0, ""])
})
