/** The lists as an operator brings them to a running service. Runs against the compiled file when BIZAUTH_BINARY names it. */
import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import { initialised, type Running, run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { atLength } from "../../fixtures/long.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"

const SDN = "US_OFAC_SDN"
const LOOK_MS = 5000

interface Line {
  readonly source_id: string
  readonly health: string
  readonly entries: number | null
  readonly raw_sha256: string | null
  readonly last_attempt: { readonly outcome: string } | null
}

async function lines(server: Running): Promise<Record<string, Line>> {
  const answer = await fetch(`${server.origin}/v1/us/federal/source-health`)
  expect([answer.status, answer.headers.get("x-coverage")]).toEqual([200, "FEDERAL_ONLY"])
  const { sources } = (await answer.json()) as { sources: Line[] }
  return Object.fromEntries(sources.map((line) => [line.source_id, line]))
}

/** Asks until the running service has taken the change up. */
async function until(server: Running, done: (now: Record<string, Line>) => boolean): Promise<Record<string, Line>> {
  for (const end = performance.now() + LOOK_MS; performance.now() < end; await Bun.sleep(150)) {
    const now = await lines(server)
    if (done(now)) return now
  }
  throw new Error(`not taken up: ${JSON.stringify(await lines(server))}`)
}

test("lists that another process imports, rejects or rolls back change the responses of a running service", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using server = await serve(data)
  const before = await lines(server)
  expect(Object.values(before).map(({ health }) => health)).toEqual(Array(4).fill("UNAVAILABLE"))

  const hourAgo = Date.now() - 3_600_000
  for (const [id, folder] of Object.entries(writeSampleLists(join(fresh.path, "lists"), { publishedAt: hourAgo }))) {
    expect((await run(["sources", "import", id, folder, "--data", data])).exit).toBe(0)
  }
  const first = await until(server, (now) => Object.values(now).every(({ health }) => health === "HEALTHY"))
  // The UK list was imported with them and is not one of the route's four.
  expect(Object.keys(first).sort()).toEqual([...REQUIRED_US_SOURCES])

  const extraSdn = [{ number: 90101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }]
  const second = writeSampleLists(join(fresh.path, "second"), { publishedAt: hourAgo + 60_000, extraSdn })[SDN]
  expect((await run(["sources", "import", SDN, second, "--data", data])).exit).toBe(0)
  await until(server, (now) => now[SDN]?.entries === 6)

  writeFileSync(join(second, "sdn.csv"), "<!doctype html><title>Maintenance</title>")
  const refused = await run(["sources", "import", SDN, second, "--data", data, "--json"])
  expect(refused.exit).toBe(3)
  expect(JSON.parse(refused.out).findings).toContainEqual(expect.objectContaining({ code: "NOT_DATA" }))
  const still = await until(server, (now) => now[SDN]?.last_attempt?.outcome === "REFUSED")
  expect(still[SDN]).toMatchObject({ health: "HEALTHY", entries: 6 })

  expect((await run(["sources", "rollback", SDN, "--data", data])).exit).toBe(0)
  const back = await until(server, (now) => now[SDN]?.entries === 5)
  expect(back[SDN]?.raw_sha256).toBe(first[SDN]?.raw_sha256 ?? "")

  // A start reads the same from the disk.
  expect(await server.stop()).toBe(0)
  await using again = await serve(data)
  expect((await lines(again))[SDN]).toMatchObject({ health: "HEALTHY", entries: 5 })
}, 30_000)

test("the index thread runs the program's own code, whatever the working directory contains", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const folders = writeSampleLists(join(fresh.path, "lists"), { publishedAt: Date.now() - 3_600_000 })
  expect((await run(["sources", "import", SDN, folders[SDN], "--data", data])).exit).toBe(0)
  const empty = join(fresh.path, "empty")
  const trap = join(fresh.path, "trap")
  const taken = join(fresh.path, "taken")
  for (const folder of [empty, join(trap, "sources"), join(trap, "src", "sources")])
    mkdirSync(folder, { recursive: true })
  for (const place of [".", "sources", "src/sources"])
    writeFileSync(
      join(trap, place, "index-thread.ts"),
      `require("node:fs").writeFileSync(${JSON.stringify(taken)}, "")`,
    )
  for (const cwd of [empty, trap]) {
    await using server = await serve(data, [], { cwd })
    expect((await lines(server))[SDN]).toMatchObject({ health: "HEALTHY", entries: 5 })
  }
  expect(existsSync(taken)).toBe(false)
})

test("a server that starts with a lost snapshot folder serves the others and reports the lost one as UNAVAILABLE", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const lists = writeSampleLists(join(fresh.path, "lists"), { publishedAt: Date.now() - 60_000 })
  for (const id of [SDN, "US_OFAC_CONSOLIDATED"] as const) {
    expect((await run(["sources", "import", id, lists[id], "--data", data])).exit).toBe(0)
  }
  rmSync(join(data, "snapshots", SDN), { recursive: true })
  await using server = await serve(data)
  expect(await lines(server)).toMatchObject({
    [SDN]: { health: "UNAVAILABLE", entries: null },
    US_OFAC_CONSOLIDATED: { health: "HEALTHY" },
  })
  expect(server.err()).toContain("snapshot_unreadable")
})

const published = process.env["BIZAUTH_LISTS"]
const present = published !== undefined && existsSync(published)
if (!present) console.log("published lists skipped: BIZAUTH_LISTS names no folder with the publishers' files")

/** Numbers from a fixed start (mulberry32), so that a failure can be repeated. */
function seeded(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

describe.skipIf(!present)("the publishers' own files:", () => {
  const at = (...path: string[]) => join(published ?? "", ...path)
  const july2021 = at("us_ofac_sdn", "2021-07-full")
  const given = async (id: string, path: string, data: string, ...flags: string[]) => {
    const ran = await run(["sources", "import", id, path, "--data", data, "--json", ...flags])
    return { exit: ran.exit, report: JSON.parse(ran.out) }
  }
  const CUTS = atLength(3, 20)
  const hardCodes = (report: { findings: { code: string; severity: string }[] }) =>
    report.findings.filter(({ severity }) => severity === "hard").map(({ code }) => code)
  const activeSdn = async (data: string) =>
    JSON.parse((await run(["sources", "status", "--data", data, "--json"])).out).sources[1].snapshot.snapshot_id

  test("complete lists are imported and screened; mixed, malformed and truncated ones change nothing", async () => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    const sdn = await given(SDN, july2021, data)
    expect(sdn).toMatchObject({ exit: 0, report: { counts: { entries: 8976, aliases: 11_910, addresses: 13_837 } } })
    const cons = await given("US_OFAC_CONSOLIDATED", at("us_ofac_cons"), data)
    expect(cons).toMatchObject({ exit: 0, report: { counts: { entries: 442 } } })
    const zip = at("us_sam", "SAM_Exclusions_Public_Extract_20049.ZIP")
    expect(await given("US_SAM_EXCLUSIONS", zip, data)).toMatchObject({ exit: 0, report: { counts: { rows: 10_000 } } })
    expect((await given("US_TRADE_CSL", at("us_csl", "csl-sample.csv"), data)).exit).toBe(0)

    const active = await activeSdn(data)
    const mixed = await given(SDN, at("us_ofac_sdn", "2024-07-full"), data)
    expect([mixed.exit, hardCodes(mixed.report).includes("MIXED_PUBLICATION")]).toEqual([3, true])
    const broken = await given(SDN, at("us_ofac_sdn", "schema-broken"), data)
    expect([broken.exit, hardCodes(broken.report).includes("SCHEMA_BREAK")]).toEqual([3, true])
    const random = seeded(2021)
    const names = readdirSync(july2021)
    for (let cut = 0; cut < CUTS; cut++) {
      const folder = join(fresh.path, `cut-${cut}`)
      mkdirSync(folder)
      const victim = ["sdn.csv", "add.csv", "alt.csv"][cut % 3]
      for (const name of names) {
        const bytes = readFileSync(join(july2021, name))
        const length = name === victim ? Math.floor(random() * bytes.length) : bytes.length
        writeFileSync(join(folder, name), bytes.subarray(0, length))
      }
      const refused = await given(SDN, folder, data)
      expect([victim, refused.exit, hardCodes(refused.report).includes("TRUNCATED")]).toEqual([victim, 3, true])
    }
    expect(await activeSdn(data)).toBe(active)

    const found = JSON.parse((await run(["screen", "BANCO NACIONAL DE CUBA", "--data", data, "--json"])).out)
    expect(found.hits[0]).toMatchObject({ source_id: SDN, entry_id: "306", matched_name: "BANCO NACIONAL DE CUBA" })
    expect(found.snapshots[SDN]).toBe(active)
  }, 60_000)

  test("after a sample the first real list needs the operator's acceptance of exactly its bytes", async () => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    const year2020 = Date.UTC(2020, 0, 1)
    const sample = writeSampleLists(join(fresh.path, "lists"), { publishedAt: year2020 })[SDN]
    expect((await given(SDN, sample, data)).exit).toBe(0)
    const refused = await given(SDN, july2021, data)
    expect(refused.exit).toBe(3)
    expect(new Set(hardCodes(refused.report)).isSubsetOf(new Set(["SHRUNK", "EXPLODED", "FILL_RATE"]))).toBe(true)
    const accepted = await given(SDN, july2021, data, "--accept-shrink", refused.report.raw_sha256)
    expect(accepted).toMatchObject({ exit: 0, report: { counts: { entries: 8976 } } })
  })
})
