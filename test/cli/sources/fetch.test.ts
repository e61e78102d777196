import { describe, expect } from "bun:test"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as fetchSources } from "../../../src/cli/sources/fetch.ts"
import { command as status } from "../../../src/cli/sources/status.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { withLock } from "../../../src/sources/import/import-lock.ts"
import { SOURCE_IDS } from "../../../src/sources/records/party.ts"
import { bulkFiles } from "../../fixtures/companies-house-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { status as answering, file, publisher } from "../../fixtures/publisher.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

interface Fetched {
  readonly source_id: string
  readonly outcome: string
}

const SDN = "US_OFAC_SDN"
const UK = "UK_SANCTIONS_LIST"

async function operator() {
  const fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await createDataDirectory(data, "test", realMachine)
  const server = await publisher(false)
  for (const [id, files] of Object.entries(sampleLists({ publishedAt: realMachine.now() }))) {
    for (const { name, bytes } of files) server.answer(`/${id}/${name}`, file(bytes, { ETag: `"${Bun.hash(bytes)}"` }))
  }
  const mirror = ["--source-mirror", `http://127.0.0.1:${server.port}`]
  return {
    data,
    server,
    folder: fresh.path,
    call: (...args: string[]) => runCommand(fetchSources, [...args, ...mirror, "--data", data]),
    status: () => runCommand(status, ["--data", data]),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      fresh[Symbol.dispose]()
    },
  }
}

describe("sources fetch", () => {
  test("without a name asks for every list and imports them; a second run reports no changes", async () => {
    await using op = await operator()
    const first = await op.call()
    expect([first.exit, first.err]).toEqual([0, ""])
    expect(
      first.out
        .split("\n")
        .filter((line) => /^[A-Z]+_/.test(line))
        .map((line) => line.split(/ {2,}/).slice(0, 2)),
    ).toEqual(SOURCE_IDS.map((id) => [id, "IMPORTED"]))
    const second = await op.call("--json")
    expect(second.exit).toBe(0)
    const { version, sources } = JSON.parse(second.out)
    expect([version, sources.map((one: { outcome: string }) => one.outcome)]).toEqual([
      1,
      SOURCE_IDS.map(() => "NOT_MODIFIED"),
    ])
    expect((await op.status()).out.match(/HEALTHY/g)).toHaveLength(SOURCE_IDS.length)
  })

  test("with pinned manifest keys asks for nothing, because publishers do not sign their files", async () => {
    await using op = await operator()
    const refused = await op.call("--source-manifest-keys", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    expect(refused.exit).toBe(6)
    expect(refused.err).toContain("source_manifest_keys allows signed snapshots alone")
    expect(op.server.requests).toEqual([])
  })

  test("exits with 4 for an unreachable list and with 3 for a rejected one, and still imports the others", async () => {
    await using op = await operator()
    await op.call(SDN)
    op.server.answer(`/${SDN}/sdn.csv`, answering(403))
    const failed = await op.call("--json")
    expect(failed.exit).toBe(4)
    const of = (out: string, id: string) =>
      JSON.parse(out).sources.find((one: { source_id: string }) => one.source_id === id)
    expect(of(failed.out, SDN)).toMatchObject({ outcome: "FAILED", code: "STATUS", import: null })
    expect(of(failed.out, SDN).active_snapshot_id).toStartWith("snp_")
    expect(of(failed.out, UK)).toMatchObject({ outcome: "IMPORTED", code: null, import: { imported: true } })
    op.server.answer(`/${UK}/UK-Sanctions-List.csv`, file("Report Date: 21-Nov-2026\nno,such,header\n1,2,3\n"))
    const refused = await op.call()
    expect(refused.exit).toBe(3)
    expect(refused.out).toMatch(/UK_SANCTIONS_LIST +REFUSED +SCHEMA_BREAK/)
    expect(refused.out).toContain("  hard  SCHEMA_BREAK  UK-Sanctions-List.csv: ")
    expect(refused.out).toContain("the active snapshot is unchanged: 4 entries")
  })

  test("accepts a list that shrank only for exactly the bytes that the operator reviewed", async () => {
    await using op = await operator()
    const crowd = Array.from({ length: 60 }, (_, index) => ({
      number: 90200 + index,
      name: `QUILLFEATHER ${index}`,
      programs: ["SDGT"],
    }))
    const offer = (extraSdn: typeof crowd) => {
      for (const { name, bytes } of sampleLists({ publishedAt: realMachine.now(), extraSdn })[SDN]) {
        op.server.answer(`/${SDN}/${name}`, file(bytes))
      }
    }
    offer(crowd)
    await op.call(SDN)
    offer(crowd.slice(0, 30))
    const refused = await op.call(SDN)
    expect([refused.exit, refused.out]).toEqual([3, expect.stringContaining("REFUSED       SHRUNK")])
    const [, raw = ""] = /^ {2}raw (sha256:[0-9a-f]{64})$/m.exec(refused.out) ?? []
    expect((await op.call(SDN, "--accept-shrink", `sha256:${"0".repeat(64)}`)).exit).toBe(3)
    expect((await op.call("--accept-shrink", raw)).exit).toBe(2)
    expect((await op.call(SDN, "--accept-shrink", "yes")).exit).toBe(2)
    const taken = await op.call(SDN, "--accept-shrink", raw)
    expect([taken.exit, taken.out]).toEqual([0, expect.stringContaining("accepted by the operator")])
  })

  test("asks only for the named lists, each once, and skips a disabled one", async () => {
    await using op = await operator()
    const named = await op.call(UK, UK, "--json")
    expect(JSON.parse(named.out).sources.map((one: { source_id: string }) => one.source_id)).toEqual([UK])
    expect(op.server.requests.every(({ path }) => path.startsWith(`/${UK}/`))).toBe(true)
    expect((await op.call("US_OFAC")).exit).toBe(2)
    expect(await op.call(SDN, "--sources-disabled", SDN)).toMatchObject({ exit: 6, err: expect.stringContaining(SDN) })
    const rest = await op.call("--json", "--sources-disabled", `${SDN}, ${UK}`)
    expect(JSON.parse(rest.out).sources).toHaveLength(SOURCE_IDS.length - 2)
  })

  test("exits with 7 and names a list that another process is fetching, and still fetches and reports the others", async () => {
    await using op = await operator()
    const folder = join(op.data, "snapshots", ".fetch")
    const ran = await withLock(folder, `${SDN}.lock`, "held by the test", () => op.call("--json"))
    expect(ran.exit).toBe(7)
    const [event = "", message = ""] = ran.err.split("\n")
    expect(JSON.parse(event)).toMatchObject({ level: "info", event: "source_busy", source_id: SDN })
    expect(message).toBe(`another round that fetches ${SDN} is running on this data directory`)
    const { sources } = JSON.parse(ran.out)
    expect(sources.map((one: Fetched) => [one.source_id, one.outcome])).toEqual(
      SOURCE_IDS.filter((id) => id !== SDN).map((id) => [id, "IMPORTED"]),
    )
    expect((await op.call(SDN)).exit).toBe(0)
  })

  test("a busy source is one line for a person", async () => {
    await using op = await operator()
    const folder = join(op.data, "snapshots", ".fetch")
    const ran = await withLock(folder, `${SDN}.lock`, "held by the test", () => op.call(SDN))
    expect([ran.exit, ran.err]).toEqual([7, `another round that fetches ${SDN} is running on this data directory`])
  })

  test("asks nobody if somebody else has asked since the last attempt that its caller knows", async () => {
    await using op = await operator()
    expect((await op.call(SDN, "--last-attempt", "never")).exit).toBe(0)
    const requests = op.server.requests.length
    const late = await op.call(SDN, "--last-attempt", "never")
    expect([late.exit, late.err]).toEqual([7, `another process has just asked the publisher of ${SDN}`])
    expect(op.server.requests).toHaveLength(requests)
    const { sources } = JSON.parse((await op.call(SDN, "--json")).out) as { sources: { attempted_at: string }[] }
    expect((await op.call(SDN, "--last-attempt", sources[0]?.attempted_at ?? "")).exit).toBe(0)
    for (const [text, ...others] of [["yesterday"], ["never", UK]] as const)
      expect((await op.call(SDN, ...others, "--last-attempt", text)).exit).toBe(2)
  })

  test("fetches a register only when it is named", async () => {
    await using op = await operator()
    for (const { name, bytes } of bulkFiles("zip", 200, { day: `${new Date().toISOString().slice(0, 7)}-01` })) {
      op.server.answer(`/UK_COMPANIES_HOUSE/${name}`, file(bytes, { ETag: `"${Bun.hash(bytes)}"` }))
    }
    await op.call()
    expect(op.server.requests.some(({ path }) => path.startsWith("/UK_COMPANIES_HOUSE/"))).toBe(false)
    const named = await op.call("UK_COMPANIES_HOUSE", "--json")
    expect(named.exit).toBe(0)
    expect(JSON.parse(named.out).sources[0]).toMatchObject({
      outcome: "IMPORTED",
      import: { counts: { entries: 200 } },
    })
    expect((await op.call("UK_COMPANIES_HOUSE")).out).toMatch(/UK_COMPANIES_HOUSE +NOT_MODIFIED +200 entries/)
  })

  test("identifies itself with the contact from the settings", async () => {
    await using op = await operator()
    await op.call(UK, "--sources-contact", "Buyer Ltd ops@buyer.example")
    expect(op.server.requests[0]?.headers["user-agent"]).toMatch(
      /^bizauth\/\d+\.\d+\.\d+ \(Buyer Ltd ops@buyer\.example\)$/,
    )
    expect((await op.call(UK, "--sources-contact", "a\r\nX-Evil: 1")).exit).toBe(6)
  })

  test("rejects a SAM key that others can read or that is malformed, before any request, and never prints it", async () => {
    await using op = await operator()
    const key = join(op.folder, "sam.key")
    writeFileSync(key, "SAM-s3cret\n", { mode: 0o600 })
    const good = await op.call("--sam-key-file", key)
    expect(good.exit).toBe(0)
    expect(JSON.stringify([good, op.server.requests])).not.toContain("s3cret")
    const before = op.server.requests.length
    chmodSync(key, 0o644)
    expect(await op.call("--sam-key-file", key)).toMatchObject({
      exit: 6,
      err: expect.stringContaining("sam_key_file"),
    })
    writeFileSync(key, "two words", { mode: 0o600 })
    chmodSync(key, 0o600)
    expect((await op.call("--sam-key-file", key)).exit).toBe(6)
    expect((await op.call("--sam-key-file", join(op.folder, "none"))).exit).toBe(6)
    expect(op.server.requests).toHaveLength(before)
  })

  test("exits with 7 when the data directory is not writable, and activates nothing", async () => {
    await using op = await operator()
    // A file where a folder should be. Root may write anywhere, so this replaces a read-only or full disk.
    writeFileSync(join(op.data, "snapshots", ".fetch"), "")
    const ran = await op.call("--json")
    expect([ran.exit, JSON.parse(ran.out).sources]).toEqual([7, []])
    expect(ran.err).toContain("the active snapshot is unchanged")
  })

  test("leaves no temporary file and no lock", async () => {
    await using op = await operator()
    await op.call()
    for (const id of SOURCE_IDS) expect(existsSync(join(op.data, "snapshots", ".fetch", id))).toBe(false)
    expect((await op.call()).exit).toBe(0)
  })
})

test.each(["ftp://mirror", "http://user:p@mirror/", "https://mirror/?key=1", "mirror"])(
  "%s is not a valid mirror URL",
  async (mirror) => {
    using fresh = freshDirectory()
    const ran = await runCommand(fetchSources, ["--data", fresh.path, "--source-mirror", mirror])
    expect(ran).toMatchObject({ exit: 6, err: expect.stringContaining("source_mirror") })
  },
)
