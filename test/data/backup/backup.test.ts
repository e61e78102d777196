/** A backup is one file that restores byte for byte, or is refused by name. */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { realMachine } from "../../../src/base/machine.ts"
import { sameBytes } from "../../../src/core/bytes.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { digestBytes } from "../../../src/core/digest.ts"
import { readTar, writeTar } from "../../../src/core/tar/tar.ts"
import { BackupRefusal } from "../../../src/data/backup/backup-refusal.ts"
import { requireSound } from "../../../src/data/backup/copy-database.ts"
import { endOf } from "../../../src/data/backup/file-end.ts"
import { checkBackup, openBackup, unpackBackup } from "../../../src/data/backup/read-backup.ts"
import { readPassphrase } from "../../../src/data/backup/sealed-keys.ts"
import { type BackupOrder, makeBackup } from "../../../src/data/backup/write-backup.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import type { DataPaths } from "../../../src/data/data-paths.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)
const PASSPHRASE = "correct horse battery"
const root = freshDirectory()
let paths: DataPaths
let whole: string

const at = (name: string) => join(root.path, name)
function make(given: Partial<BackupOrder> & Pick<BackupOrder, "file">) {
  const order = { paths, includesLists: false, passphrase: null, ...given }
  return makeBackup(order, { machine: realMachine, workFactor: 10 })
}

beforeAll(async () => {
  ;({ paths } = await createDataDirectory(at("data"), "test", realMachine, { logHost: "svc.example" }))
  const snapshot = join(paths.snapshots, "US_OFAC_SDN", "snp_1")
  mkdirSync(join(snapshot, ".staging-1"), { recursive: true })
  writeFileSync(join(snapshot, "sdn.xml"), "<sdn/>")
  writeFileSync(join(snapshot, `${"long".repeat(30)}.csv`), "a,b\n")
  writeFileSync(join(snapshot, ".staging-1", "half.xml"), "<")
  writeFileSync(join(paths.snapshots, "import.lock"), "")
  whole = at("whole.tar.zst")
  await make({ file: whole, includesLists: true, passphrase: PASSPHRASE })
})
afterAll(() => root[Symbol.dispose]())

/** Kind and message of a refusal. */
async function refusal(work: () => Promise<unknown>): Promise<[string, string]> {
  try {
    await work()
  } catch (error) {
    if (error instanceof BackupRefusal) return [error.kind, error.message]
    throw error
  }
  throw new Error("it was not refused")
}

const check = (file: string, expect?: string) => checkBackup(file, { expect, passphrase: null })

/** The members of a backup as a list that a test changes and writes again. */
function membersOf(file: string): { name: string; bytes: Uint8Array }[] {
  return [...readTar(new Uint8Array(zstdDecompressSync(readFileSync(file))), 100)].map(({ name, bytes }) => ({
    name,
    bytes,
  }))
}

function writeMembers(file: string, members: readonly { name: string; bytes: Uint8Array }[]): string {
  const tar = writeTar(members.map(({ name, bytes }) => ({ name, size: bytes.length, modifiedAt: 0, pieces: [bytes] })))
  const packed = zstdCompressSync(Buffer.concat([...tar]))
  writeFileSync(file, Buffer.concat([packed, endOf(packed.length)]))
  return file
}

/** A backup whose manifest is another one, and whose other members are the same. */
function withManifest(name: string, change: (manifest: Record<string, unknown>) => unknown): string {
  const [manifest, ...rest] = membersOf(whole)
  const value = JSON.parse(new TextDecoder().decode(manifest?.bytes)) as Record<string, unknown>
  return writeMembers(at(name), [{ name: "manifest.json", bytes: canonicalBytes(change(value)) }, ...rest])
}

describe("a backup", () => {
  test("holds database, configuration, public keys, whole snapshots and sealed keys, and nothing else", async () => {
    const { manifest } = await openBackup(whole)
    expect(manifest.members.map(({ name }) => name)).toEqual([
      "bizauth.db",
      "bizauth.toml",
      "public-keys.json",
      `snapshots/US_OFAC_SDN/snp_1/${"long".repeat(30)}.csv`,
      "snapshots/US_OFAC_SDN/snp_1/sdn.xml",
      "keys.age",
    ])
    expect([manifest.environment, manifest.log.origin]).toEqual(["test", "svc.example/agent-id/log/1"])
    expect(manifest.log.tree_size).toBe(3)
    expect(statSync(whole).mode & 0o777).toBe(0o600)
  })

  test("restores every byte and every key but the recovery keys", async () => {
    const into = at("unpacked")
    mkdirSync(into)
    const { manifest, keys } = await unpackBackup(whole, into, { passphrase: PASSPHRASE })
    for (const { name, sha256 } of manifest.members.filter((one) => one.name !== "keys.age")) {
      expect([
        name,
        createHash("sha256")
          .update(readFileSync(join(into, name)))
          .digest("hex"),
      ]).toEqual([name, sha256])
      expect(statSync(join(into, name)).mode & 0o777).toBe(0o600)
    }
    expect(existsSync(join(into, "keys.age"))).toBe(false)
    const expected = (readdirSync(paths.keys, { recursive: true }) as string[])
      .filter((name) => statSync(join(paths.keys, name)).isFile() && !name.startsWith("recovery/"))
      .sort()
    expect(keys?.map(({ name }) => name)).toEqual(expected)
    for (const { name, bytes } of keys ?? []) expect(Buffer.from(bytes)).toEqual(readFileSync(join(paths.keys, name)))
    requireSound(join(into, "bizauth.db"))
  })

  const name =
    Bun.which("zstd") === null ? "is what tar reads (NOT RUN with zstd: no zstd here)" : "is what tar and zstd read"
  test(name, () => {
    const tar = Bun.spawnSync(["tar", "-tf", "-"], { stdin: zstdDecompressSync(readFileSync(whole)), stdout: "pipe" })
    if (Bun.which("zstd") !== null) expect(Bun.spawnSync(["zstd", "-qt", whole]).exitCode).toBe(0)
    expect(tar.stdout.toString().split("\n").slice(0, 3)).toEqual(["manifest.json", "bizauth.db", "bizauth.toml"])
  })

  test("holds no secret in clear", () => {
    const text = zstdDecompressSync(readFileSync(whole)).toString("latin1")
    for (const name of readdirSync(paths.keys, { recursive: true }) as string[]) {
      const path = join(paths.keys, name)
      if (!statSync(path).isFile()) continue
      const bytes = readFileSync(path)
      const secret = name.endsWith(".json")
        ? (JSON.parse(bytes.toString()) as { d: string }).d
        : bytes.toString("latin1")
      expect([name, text.includes(secret)]).toEqual([name, false])
    }
  })

  test("without lists and keys has neither", async () => {
    const made = await make({ file: at("small.tar.zst") })
    expect(made.manifest.members.map(({ name }) => name)).toEqual(["bizauth.db", "bizauth.toml", "public-keys.json"])
  })

  test("leaves nothing beside it, and removes what a dead process left", async () => {
    const folder = at("alone")
    mkdirSync(folder)
    writeFileSync(join(folder, "b.tar.zst.partial-999999999"), "")
    writeFileSync(join(folder, "b.tar.zst.partial-999999999.db"), "")
    writeFileSync(join(folder, `b.tar.zst.partial-${process.ppid}`), "of a process that runs")
    writeFileSync(join(folder, "b.tar.zst.partial-notes"), "of a person")
    await make({ file: join(folder, "b.tar.zst") })
    expect(readdirSync(folder).sort()).toEqual([
      "b.tar.zst",
      `b.tar.zst.partial-${process.ppid}`,
      "b.tar.zst.partial-notes",
    ])
  })

  test("of a damaged database is not made", async () => {
    const { paths: other } = await createDataDirectory(at("damaged"), "test", realMachine)
    const database = new Database(other.database)
    database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    const page = database
      .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE name = 'meta'")
      .get()
    database.close()
    const bytes = readFileSync(other.database)
    bytes.fill(0xff, ((page?.rootpage ?? 0) - 1) * 4096, (page?.rootpage ?? 0) * 4096)
    writeFileSync(other.database, bytes)
    await expect(make({ paths: other, file: at("never.tar.zst") })).rejects.toThrow()
    expect(readdirSync(root.path).filter((name) => name.startsWith("never"))).toEqual([])
  })
})

describe("a file that is not a whole genuine backup is refused by name", () => {
  test("cut at any length", async () => {
    const { size } = statSync(whole)
    for (const share of [0, 0.01, 0.3, 0.9, 0.9999]) {
      const cut = at("cut.tar.zst")
      writeFileSync(cut, readFileSync(whole))
      truncateSync(cut, Math.floor(size * share))
      expect([share, (await refusal(() => check(cut)))[0]]).toEqual([share, "TRUNCATED"])
    }
    const last = at("last.tar.zst")
    writeFileSync(last, readFileSync(whole).subarray(0, size - 1))
    expect((await refusal(() => check(last)))[0]).toBe("TRUNCATED")
  })

  test("with one flipped bit anywhere, unless the bit says nothing", async () => {
    const bytes = readFileSync(whole)
    const content = Bun.zstdDecompressSync(bytes)
    for (let step = 0; step < 24; step++) {
      const place = Math.floor((bytes.length * (step + 0.5)) / 24)
      const changed = Buffer.from(bytes)
      changed[place] = (changed[place] ?? 0) ^ 0x10
      const file = at("flipped.tar.zst")
      writeFileSync(file, changed)
      const isAccepted = await check(file).then(
        () => true,
        () => false,
      )
      // A frame of zstd has bits that decoders ignore (RFC 8878, 3.1.1.1.1.3).
      if (isAccepted) expect([place, sameBytes(Bun.zstdDecompressSync(changed), content)]).toEqual([place, true])
      else {
        const [kind] = await refusal(() => check(file))
        expect([place, ["DAMAGED", "TRUNCATED", "FOREIGN"].includes(kind)]).toEqual([place, true])
      }
    }
  })

  test("of another program", async () => {
    const plain = at("plain")
    writeFileSync(plain, "a text")
    const other = writeMembers(at("other.tar.zst"), [{ name: "holiday.jpg", bytes: new Uint8Array(9) }])
    const empty = writeMembers(at("empty.tar.zst"), [])
    const json = writeMembers(at("json.tar.zst"), [{ name: "manifest.json", bytes: canonicalBytes({ a: 1 }) }])
    for (const file of [plain, other, empty, json]) {
      expect(await refusal(() => openBackup(file))).toEqual(["FOREIGN", `${file} is not a backup of bizauth`])
    }
  })

  test("of a newer format", async () => {
    const file = withManifest("newer.tar.zst", (manifest) => ({ ...manifest, format: "svc.backup.v2", more: [] }))
    expect((await refusal(() => openBackup(file)))[0]).toBe("NEWER")
  })

  test("edited, for a reader that knows the digest", async () => {
    const { manifestDigest } = await openBackup(whole)
    expect((await check(whole, manifestDigest)).manifestDigest).toBe(manifestDigest)
    const members = membersOf(whole)
    const configuration = new TextEncoder().encode('pay_to = "0x0000000000000000000000000000000000000001"\n')
    const edited = members.map((one) => (one.name === "bizauth.toml" ? { ...one, bytes: configuration } : one))
    const file = writeMembers(at("edited.tar.zst"), edited)
    expect((await refusal(() => check(file)))[0]).toBe("DAMAGED")
    const digest = createHash("sha256").update(configuration).digest("hex")
    const forged = at("forged.tar.zst")
    const [manifest] = edited
    const value = JSON.parse(new TextDecoder().decode(manifest?.bytes)) as { members: { name: string }[] }
    const text = canonicalBytes({
      ...value,
      members: value.members.map((one) =>
        one.name === "bizauth.toml" ? { ...one, bytes: configuration.length, sha256: digest } : one,
      ),
    })
    writeMembers(forged, [{ name: "manifest.json", bytes: text }, ...edited.slice(1)])
    expect((await check(forged)).manifestDigest).toBe(digestBytes(text))
    expect(await refusal(() => check(forged, manifestDigest))).toEqual([
      "EDITED",
      expect.stringContaining(manifestDigest),
    ])
  })

  test("that names a path outside its folder, a member twice, or none", async () => {
    const member = { name: "../../etc/passwd", bytes: 0, sha256: "0".repeat(64) }
    for (const name of [
      "../../etc/passwd",
      "/etc/passwd",
      "snapshots/A/b/../../../x",
      "snapshots/A/b/.x",
      "bizauth.db",
    ]) {
      const file = withManifest("path.tar.zst", (manifest) => ({
        ...manifest,
        members: [...(manifest["members"] as object[]), { ...member, name }],
      }))
      expect((await refusal(() => check(file)))[0]).toBe("DAMAGED")
    }
    const file = withManifest("none.tar.zst", (manifest) => ({ ...manifest, members: [] }))
    expect((await refusal(() => check(file)))[0]).toBe("DAMAGED")
  })

  test("whose members are swapped, missing or more", async () => {
    const [manifest, first, second, ...rest] = membersOf(whole)
    if (!manifest || !first || !second) throw new Error("the backup has too few members")
    for (const members of [
      [manifest, second, first, ...rest],
      [manifest, first, ...rest],
      [manifest, first, second, ...rest, { name: "more", bytes: new Uint8Array(1) }],
    ]) {
      expect((await refusal(() => check(writeMembers(at("members.tar.zst"), members))))[0]).toBe("DAMAGED")
    }
  })

  test("when the passphrase is another one", async () => {
    expect(await refusal(() => checkBackup(whole, { passphrase: "another passphrase" }))).toEqual([
      "KEYS",
      "the keys of the backup do not open with this passphrase",
    ])
  })
})

test("a passphrase file needs sixteen characters, and nobody else may read it", async () => {
  const file = at("passphrase")
  writeFileSync(file, "short\n", { mode: 0o600 })
  expect(await refusal(async () => readPassphrase(file))).toEqual([
    "KEYS",
    expect.stringContaining("at least 16 characters"),
  ])
  writeFileSync(file, `${PASSPHRASE}\n`)
  expect(readPassphrase(file)).toBe(PASSPHRASE)
  const open = at("open-passphrase")
  writeFileSync(open, PASSPHRASE, { mode: 0o644 })
  expect(() => readPassphrase(open)).toThrow("open to other users")
})
