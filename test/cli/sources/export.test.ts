import { describe, expect } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as exportSource } from "../../../src/cli/sources/export.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { command as keygen } from "../../../src/cli/sources/keygen.ts"
import { command as status } from "../../../src/cli/sources/status.ts"
import { command as verify } from "../../../src/cli/sources/verify.ts"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
const PUBLISHED = Math.floor((Date.now() - 30 * HOUR) / 1000) * 1000

/** One data directory with the SDN list in it, a second one that is empty, and a key. */
async function twoMachines() {
  const fresh = freshDirectory()
  const at = (...names: string[]) => join(fresh.path, ...names)
  for (const name of ["outside", "inside"]) await createDataDirectory(at(name), "test", realMachine)
  const folders = writeSampleLists(at("lists"), { publishedAt: PUBLISHED })
  expect((await runCommand(importSource, [SDN, folders[SDN], "--data", at("outside")])).exit).toBe(0)
  const made = await runCommand(keygen, ["--out", at("room.key"), "--json"])
  return {
    at,
    publicKey: JSON.parse(made.out).x as string,
    export: (...args: string[]) => runCommand(exportSource, [SDN, "--data", at("outside"), ...args]),
    import: (path: string, ...args: string[]) => runCommand(importSource, [SDN, path, "--data", at("inside"), ...args]),
    verify: (...args: string[]) => runCommand(verify, args),
    /** The status of the SDN list in the second directory. */
    inside: async () => {
      const { sources } = JSON.parse((await runCommand(status, ["--data", at("inside"), "--json"])).out)
      return sources.find((one: { source_id: string }) => one.source_id === SDN)
    },
    [Symbol.dispose]: () => fresh[Symbol.dispose](),
  }
}

describe("sources export", () => {
  test.each(["list.tar", "list"])("as %s keeps the bytes, the retrieval time and the licence", async (out) => {
    using machines = await twoMachines()
    const exported = await machines.export("--out", machines.at(out), "--json")
    expect(exported.exit).toBe(0)
    const { raw_sha256, retrieved_at } = JSON.parse(exported.out)
    expect(retrieved_at).toBe(formatInstant(PUBLISHED))
    expect((await machines.import(machines.at(out))).exit).toBe(0)
    expect((await machines.inside()).snapshot).toMatchObject({ raw_sha256, retrieved_at })
    // Two exports give the same bytes: they contain nothing of the exporting machine.
    expect((await machines.export("--out", machines.at(`again-${out}`))).exit).toBe(0)
    if (out.endsWith(".tar"))
      expect(readFileSync(machines.at(out)).equals(readFileSync(machines.at(`again-${out}`)))).toBe(true)
    else {
      const { licence, format, source_id, domain, files } = JSON.parse(
        readFileSync(machines.at(out, "manifest.json"), "utf8"),
      )
      expect([format, source_id, domain, files.length]).toEqual(["svc-snapshot-1", SDN, undefined, 4])
      expect(licence).toStartWith("US-Government-Work")
      // Copied as loose files, it still has the date of the original list.
      expect(statSync(machines.at(out, "sdn.csv")).mtimeMs).toBe(PUBLISHED)
    }
    expect(readdirSync(machines.at()).filter((name) => name.startsWith("."))).toEqual([])
  })

  test("exports a stored snapshot by its id; an unknown id and an empty source are not found", async () => {
    using machines = await twoMachines()
    const first = JSON.parse((await machines.export("--out", machines.at("a.tar"), "--json")).out).snapshot_id
    const next = writeSampleLists(machines.at("next"), { publishedAt: PUBLISHED + HOUR })[SDN]
    expect((await runCommand(importSource, [SDN, next, "--data", machines.at("outside")])).exit).toBe(0)
    expect(JSON.parse((await machines.export("--out", machines.at("b.tar"), "--json")).out).snapshot_id).not.toBe(first)
    const kept = await machines.export("--out", machines.at("c.tar"), "--snapshot", first, "--json")
    expect(JSON.parse(kept.out).retrieved_at).toBe(formatInstant(PUBLISHED))
    expect((await machines.export("--snapshot", "snp_none")).exit).toBe(5)
    expect((await runCommand(exportSource, [SDN, "--data", machines.at("inside")])).exit).toBe(5)
  })

  test("never overwrites, and writes nothing when the bytes are damaged", async () => {
    using machines = await twoMachines()
    writeFileSync(machines.at("taken.tar"), "mine")
    const refused = await machines.export("--out", machines.at("taken.tar"))
    expect([refused.exit, readFileSync(machines.at("taken.tar"), "utf8")]).toEqual([4, "mine"])
    const folder = join(machines.at("outside"), "snapshots", SDN)
    const [snapshot = ""] = readdirSync(folder)
    writeFileSync(join(folder, snapshot, "alt.csv"), "changed")
    for (const out of ["list.tar", "list"]) {
      const damaged = await machines.export("--out", machines.at(out))
      expect([damaged.exit, damaged.err.includes("alt.csv has other bytes"), existsSync(machines.at(out))]).toEqual([
        4,
        true,
        false,
      ])
    }
    expect(readdirSync(machines.at()).filter((name) => name.startsWith("."))).toEqual([])
  })

  test("does not sign with a key that others can read", async () => {
    using machines = await twoMachines()
    chmodSync(machines.at("room.key"), 0o644)
    expect((await machines.export("--out", machines.at("x.tar"), "--key", machines.at("room.key"))).exit).toBe(6)
    expect(existsSync(machines.at("x.tar"))).toBe(false)
  })
})

describe("sources verify", () => {
  test("shows without a data directory what an import would do, and who signed", async () => {
    using machines = await twoMachines()
    await machines.export("--out", machines.at("list.tar"), "--key", machines.at("room.key"))
    const plain = await machines.verify(machines.at("list.tar"))
    expect([plain.exit, plain.out.split("\n")[0]?.startsWith(`valid  ${SDN}  `)]).toEqual([0, true])
    expect(plain.out).toMatch(/signature {2}by ed25519-\S+, not checked: none of the keys given/)
    for (const key of [machines.publicKey, machines.at("room.key.pub")]) {
      const keyed = await machines.verify(machines.at("list.tar"), `--key=${key}`, "--json")
      expect([keyed.exit, JSON.parse(keyed.out)]).toMatchObject([
        0,
        { valid: true, signature: { state: "VALID" }, retrieved_at: formatInstant(PUBLISHED) },
      ])
    }
    await runCommand(keygen, ["--out", machines.at("other.key")])
    const other = await machines.verify(machines.at("list.tar"), "--key", machines.at("other.key.pub"))
    expect([other.exit, other.out.includes("hard  UNSIGNED")]).toEqual([3, true])
  })

  test.each<readonly [what: string, exit: number, damage: (bytes: Buffer) => Buffer]>([
    ["a byte of a list", 3, (bytes) => change(bytes, bytes.indexOf("VOSTOK"))],
    ["a byte of the manifest's time", 3, (bytes) => change(bytes, bytes.indexOf('"retrieved_at": "20') + 19)],
    ["a byte of a header", 4, (bytes) => change(bytes, 130)],
    ["its end", 4, (bytes) => bytes.subarray(0, bytes.length - 512)],
    ["bytes after its end", 4, (bytes) => Buffer.concat([bytes, Buffer.from("x".repeat(512))])],
  ])("rejects an archive with %s changed", async (_what, exit, damage) => {
    using machines = await twoMachines()
    await machines.export("--out", machines.at("list.tar"), "--key", machines.at("room.key"))
    writeFileSync(machines.at("bad.tar"), damage(readFileSync(machines.at("list.tar"))))
    const ran = await machines.verify(machines.at("bad.tar"), `--key=${machines.publicKey}`)
    expect(ran.exit as number).toBe(exit)
    const refused = await machines.import(machines.at("bad.tar"), `--source-manifest-keys=${machines.publicKey}`)
    expect([3, 4]).toContain(refused.exit)
    expect((await machines.inside()).snapshot).toBeNull()
  })

  test("reports could-not-check for a file that is not a snapshot", async () => {
    using machines = await twoMachines()
    mkdirSync(machines.at("loose"))
    writeFileSync(machines.at("loose", "sdn.csv"), "x")
    for (const path of [
      machines.at("loose"),
      machines.at("loose", "sdn.csv"),
      machines.at("nowhere"),
      "NOT_A_SOURCE",
    ]) {
      expect((await machines.verify(path)).exit).toBe(4)
    }
  })

  test("with a source id compares the stored bytes with their rows", async () => {
    using machines = await twoMachines()
    const data = ["--data", machines.at("outside")]
    expect((await machines.verify(SDN, ...data)).out).toMatch(/^ok {4}snp_\S+ {2}ACTIVE/)
    const folder = join(machines.at("outside"), "snapshots", SDN)
    const [snapshot = ""] = readdirSync(folder)
    writeFileSync(join(folder, snapshot, "add.csv"), "changed")
    const damaged = await machines.verify(SDN, ...data, "--json")
    expect([damaged.exit, JSON.parse(damaged.out).snapshots[0].fault]).toEqual([
      3,
      "add.csv has other bytes than recorded",
    ])
    expect((await machines.verify(SDN, "--data", machines.at("inside"))).exit).toBe(5)
  })
})

describe("source_manifest_keys", () => {
  test("accept a snapshot that one of the keys signed and reject others, without marking the source as failed", async () => {
    using machines = await twoMachines()
    const pinned = [`--source-manifest-keys=${machines.publicKey}`]
    await machines.export("--out", machines.at("signed.tar"), "--key", machines.at("room.key"))
    await machines.export("--out", machines.at("unsigned.tar"))
    expect((await machines.import(machines.at("signed.tar"), ...pinned)).exit).toBe(0)
    for (const path of [machines.at("unsigned.tar"), machines.at("lists", SDN)]) {
      const refused = await machines.import(path, ...pinned)
      expect([refused.exit, refused.out.includes("hard  UNSIGNED")]).toEqual([3, true])
    }
    // Nothing in an unreadable newer publication of a stranger is believed, not even that it exists.
    const broken = writeSampleLists(machines.at("broken"), { publishedAt: PUBLISHED + DAY })[SDN]
    writeFileSync(join(broken, "sdn.csv"), 'a,b,c\r\n"x"\r\n\u001a')
    expect((await machines.import(broken, ...pinned)).exit).toBe(3)
    expect((await machines.inside()).health).toBe("HEALTHY")
  })

  test("that are malformed give an error that names the fault", async () => {
    using machines = await twoMachines()
    expect((await machines.import(machines.at("lists", SDN), "--source-manifest-keys", "abc")).exit).toBe(6)
    const smallOrder = `${"A".repeat(42)}A`
    expect((await machines.import(machines.at("lists", SDN), "--source-manifest-keys", smallOrder)).exit).toBe(6)
  })
})

function change(bytes: Buffer, at: number): Buffer {
  if (at < 0) throw new Error("nothing to change")
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}
