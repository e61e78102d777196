import { describe, expect } from "bun:test"
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../src/base/machine.ts"
import type { Command } from "../../src/cli/command.ts"
import { command as importSource } from "../../src/cli/sources/import.ts"
import { command as rollback } from "../../src/cli/sources/rollback.ts"
import { command as status } from "../../src/cli/sources/status.ts"
import { DAY, formatInstant, HOUR } from "../../src/core/time.ts"
import { createDataDirectory } from "../../src/data/data-directory.ts"
import { withImportLock } from "../../src/sources/import/import-lock.ts"
import { SOURCE_IDS } from "../../src/sources/records/party.ts"
import { REGISTER_IDS } from "../../src/sources/records/register-id.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { writeSampleLists } from "../fixtures/sample-lists.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
const UK = "UK_SANCTIONS_LIST"

async function operator() {
  const fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await createDataDirectory(data, "test", realMachine)
  const publishedAt = realMachine.now() - HOUR
  return {
    data,
    publishedAt,
    folder: fresh.path,
    snapshots: join(data, "snapshots"),
    lists: writeSampleLists(join(fresh.path, "lists"), { publishedAt }),
    call: (command: Command, ...args: string[]) => runCommand(command, [...args, "--data", data]),
    [Symbol.dispose]: fresh[Symbol.dispose],
  }
}

/** The same list an hour later, with one file cut. */
function cut(folder: string, name: string): void {
  const path = join(folder, name)
  writeFileSync(path, '90001,"VOSTOK')
}

describe("sources import", () => {
  test("a good list exits with 0 and prints what was read, as text and as JSON", async () => {
    using op = await operator()
    const ran = await op.call(importSource, SDN, op.lists[SDN])
    expect(ran.exit).toBe(0)
    expect(ran.out).toMatch(/^imported {2}US_OFAC_SDN .*#5\n {2}entries 5 /)
    expect(ran.out).toContain(`retrieved ${formatInstant(op.publishedAt)}`)
    const again = await op.call(importSource, SDN, op.lists[SDN], "--json")
    expect(JSON.parse(again.out)).toMatchObject({ version: 1, imported: true, source_id: SDN, counts: { entries: 5 } })
  })

  test("a rejected list exits with 3 and prints every finding, and the active list stays", async () => {
    using op = await operator()
    await op.call(importSource, SDN, op.lists[SDN])
    const before = readdirSync(join(op.snapshots, SDN))
    for (const name of ["sdn.csv", "alt.csv"]) cut(op.lists[SDN], name)
    const words = await op.call(importSource, SDN, op.lists[SDN])
    expect(words.exit).toBe(3)
    expect(words.out).toContain("hard  TRUNCATED  sdn.csv")
    expect(words.out).toContain("hard  TRUNCATED  alt.csv")
    expect(words.out).toContain("the active snapshot is unchanged")
    const json = await op.call(importSource, SDN, op.lists[SDN], "--json")
    expect(json.exit).toBe(3)
    const { findings, imported, snapshot_id } = JSON.parse(json.out)
    expect([imported, snapshot_id]).toEqual([false, null])
    expect(findings.length).toBeGreaterThan(5)
    for (const { severity, code, file, detail } of findings) {
      expect(words.out).toContain(`  ${severity}  ${code}  ${file ? `${file}: ` : ""}${detail}\n`)
    }
    expect(readdirSync(join(op.snapshots, SDN))).toEqual(before)
  })

  test("accepts several files instead of their folder", async () => {
    using op = await operator()
    const files = readdirSync(op.lists[SDN]).map((name) => join(op.lists[SDN], name))
    expect((await op.call(importSource, SDN, ...files)).exit).toBe(0)
  })

  test("--accept-shrink takes the digest that a rejected import printed, with or without its prefix", async () => {
    using op = await operator()
    await op.call(importSource, SDN, op.lists[SDN])
    const less = writeSampleLists(join(op.folder, "less"), {
      publishedAt: op.publishedAt + 60_000,
      withoutSdn: [90003],
    })[SDN]
    const refused = await op.call(importSource, SDN, less)
    expect(refused.exit).toBe(3)
    const digest = /raw sha256:([0-9a-f]{64})/.exec(refused.out)?.[1] ?? ""
    const accepted = await op.call(importSource, SDN, less, "--accept-shrink", digest)
    expect([accepted.exit, accepted.out.includes("accepted by the operator")]).toEqual([0, true])
  })

  const usage: readonly [
    name: string,
    args: (op: Awaited<ReturnType<typeof operator>>) => string[],
    exit: number,
    says: string,
  ][] = [
    ["an unknown source, with the nearest", (op) => ["US_OFAC_SND", op.lists[SDN]], 2, "did you mean US_OFAC_SDN"],
    ["an invalid time", (op) => [SDN, op.lists[SDN], "--retrieved-at", "yesterday"], 2, "RFC 3339"],
    [
      "a later time than the files say",
      (op) => [SDN, op.lists[SDN], "--retrieved-at", formatInstant(op.publishedAt + 1)],
      2,
      "may only be earlier",
    ],
    ["an invalid digest", (op) => [SDN, op.lists[SDN], "--accept-shrink", "yes"], 2, "as a refusal printed it"],
    ["a path that is not there", (op) => [SDN, join(op.folder, "nowhere")], 4, "nowhere"],
  ]
  test.each(usage)("%s is rejected before anything is recorded", async (_name, args, exit, says) => {
    using op = await operator()
    const ran = await op.call(importSource, ...args(op))
    expect(ran.exit as number).toBe(exit)
    expect(ran.err).toContain(says)
    const { sources } = JSON.parse((await op.call(status, "--json")).out)
    expect(sources.every(({ last_attempt }: { last_attempt: unknown }) => last_attempt === null)).toBe(true)
  })

  test("an earlier --retrieved-at sets the age of the list", async () => {
    using op = await operator()
    const ran = await op.call(
      importSource,
      SDN,
      op.lists[SDN],
      "--retrieved-at",
      formatInstant(op.publishedAt - 4 * DAY),
    )
    expect(ran.exit).toBe(0)
    expect((await op.call(status)).out).toMatch(/US_OFAC_SDN +STALE /)
  })

  test("a concurrent import exits with 7", async () => {
    using op = await operator()
    const ran = await withImportLock(op.snapshots, () => op.call(importSource, SDN, op.lists[SDN]))
    expect([ran.exit, ran.err.includes("another import")]).toEqual([7, true])
  })
})

test("an unwritable snapshots folder exits with 7, keeps the active list and leaves no partial file", async () => {
  using op = await operator()
  await op.call(importSource, SDN, op.lists[SDN])
  const kept = readdirSync(join(op.snapshots, SDN))
  rmSync(join(op.snapshots, "US_TRADE_CSL"), { recursive: true, force: true })
  // A file where the source's folder should be. Root may write anywhere, so this replaces a read-only or full disk.
  writeFileSync(join(op.snapshots, "US_TRADE_CSL"), "")
  const ran = await op.call(importSource, "US_TRADE_CSL", op.lists.US_TRADE_CSL)
  expect(ran.exit).toBe(7)
  expect(ran.err).toContain("the active snapshot is unchanged")
  expect(readdirSync(join(op.snapshots, SDN))).toEqual(kept)
})

describe("sources status", () => {
  test("shows for each source what it holds and why a list is not newer", async () => {
    using op = await operator()
    await op.call(importSource, SDN, op.lists[SDN])
    cut(op.lists[SDN], "sdn.csv")
    await op.call(importSource, SDN, op.lists[SDN])
    const ran = await op.call(status)
    expect(ran.exit).toBe(0)
    const shown = ran.out.split("\n").map((line) => line.split(" ")[0] ?? "")
    expect(shown.filter((id) => /^[A-Z_]+$/.test(id))).toEqual([...SOURCE_IDS, ...REGISTER_IDS])
    expect(ran.out).toMatch(/US_TRADE_CSL +UNAVAILABLE +no snapshot/)
    expect(ran.out).toMatch(/US_OFAC_SDN +HEALTHY +FRESH +5 entries .*\n(?: {2}.*\n)* {2}last import refused /)
    expect(ran.out).toContain("hard  TRUNCATED")
    const { version, sources } = JSON.parse((await op.call(status, "--json")).out)
    expect(version).toBe(1)
    expect(sources[1]).toMatchObject({ source_id: SDN, health: "HEALTHY", last_attempt: { outcome: "REFUSED" } })
    expect(sources[1].last_attempt.findings.length).toBeGreaterThan(0)
  })

  test("the UK list is shown with the four required lists, and is imported, rolled back and disabled like them", async () => {
    using op = await operator()
    expect((await op.call(status)).out).toMatch(/UK_SANCTIONS_LIST +UNAVAILABLE +no snapshot/)
    const first = await op.call(importSource, UK, op.lists[UK], "--retrieved-at", formatInstant(op.publishedAt - HOUR))
    expect([first.exit, first.out]).toEqual([0, expect.stringContaining("imported  UK_SANCTIONS_LIST  Report Date ")])
    await op.call(importSource, UK, op.lists[UK])
    expect((await op.call(status)).out).toMatch(/UK_SANCTIONS_LIST +HEALTHY +FRESH +4 entries {2}Report Date /)
    expect((await op.call(status, "--sources-disabled", UK)).out).toMatch(/UK_SANCTIONS_LIST +DISABLED/)
    const back = await op.call(rollback, UK)
    expect([back.exit, back.out]).toEqual([0, expect.stringContaining(formatInstant(op.publishedAt - HOUR))])
    const { sources } = JSON.parse((await op.call(status, "--json")).out)
    expect(sources.map(({ source_id }: { source_id: string }) => source_id)).toEqual([...SOURCE_IDS])
  })

  test("a source that is disabled in the settings is DISABLED", async () => {
    using op = await operator()
    await op.call(importSource, SDN, op.lists[SDN])
    expect((await op.call(status, "--sources-disabled", SDN)).out).toMatch(/US_OFAC_SDN +DISABLED/)
    writeFileSync(join(op.data, "bizauth.toml"), `sources_disabled = "${SDN}"\n`)
    expect((await op.call(status)).out).toMatch(/US_OFAC_SDN +DISABLED/)
  })

  test("a lost snapshot is UNAVAILABLE and reported on stderr", async () => {
    using op = await operator()
    await op.call(importSource, SDN, op.lists[SDN])
    rmSync(join(op.snapshots, SDN), { recursive: true })
    const ran = await op.call(status)
    expect(ran.out).toMatch(/US_OFAC_SDN +UNAVAILABLE/)
    expect(ran.err).toContain("snapshot_unreadable")
  })
})

test("sources rollback activates the previous list, once, and reports when there is none", async () => {
  using op = await operator()
  expect((await op.call(rollback, SDN)).exit).toBe(5)
  await op.call(importSource, SDN, op.lists[SDN], "--retrieved-at", formatInstant(op.publishedAt - HOUR))
  await op.call(importSource, SDN, op.lists[SDN])
  const ran = await op.call(rollback, SDN)
  expect([ran.exit, ran.out]).toEqual([0, expect.stringContaining(`retrieved ${formatInstant(op.publishedAt - HOUR)}`)])
  expect((await op.call(rollback, SDN)).exit).toBe(5)
  expect((await op.call(rollback, "SDN")).exit).toBe(2)
})

test("a snapshot folder carries its own retrieval time, and is accepted for its own source only", async () => {
  using op = await operator()
  await op.call(importSource, SDN, op.lists[SDN])
  const [id = ""] = readdirSync(join(op.snapshots, SDN))
  const kept = join(op.snapshots, SDN, id)
  const now = new Date()
  for (const name of readdirSync(kept)) utimesSync(join(kept, name), now, now)
  const other = join(op.folder, "other")
  mkdirSync(other)
  await createDataDirectory(join(other, "data"), "test", realMachine)
  const at = (...args: string[]) => runCommand(importSource, [...args, "--data", join(other, "data")])
  expect((await at(SDN, kept)).out).toContain(`retrieved ${formatInstant(op.publishedAt)}`)
  expect((await at("US_OFAC_CONSOLIDATED", kept)).exit).toBe(4)
})
