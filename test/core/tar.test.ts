import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { readHeader, readTar, TarBroken, type TarEntry, writeTar } from "../../src/core/tar/tar.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const FILES_MAX = 33
const AT = 1_760_000_000
const text = (value: string) => new TextEncoder().encode(value)
const entry = (name: string, bytes = text(name), modifiedAt = AT): TarEntry => ({ name, bytes, modifiedAt })
const sourceOf = ({ bytes, ...rest }: TarEntry) => ({
  ...rest,
  size: bytes.length,
  pieces: [bytes.subarray(0, 700), bytes.subarray(700)],
})
const archive = (...entries: readonly TarEntry[]) => new Uint8Array(Buffer.concat([...writeTar(entries.map(sourceOf))]))
const plain = (entries: readonly TarEntry[]) =>
  entries.map(({ name, bytes, modifiedAt }) => [name, Buffer.from(bytes).toString("hex"), modifiedAt])
const read = (bytes: Uint8Array) => readTar(bytes, FILES_MAX)

function tar(directory: string, ...args: string[]): string {
  const ran = Bun.spawnSync(["tar", "-C", directory, ...args], { stdout: "pipe", stderr: "pipe" })
  if (ran.exitCode !== 0) throw new Error(`tar: ${ran.stderr.toString()}`)
  return ran.stdout.toString()
}

test("an archive is read back as it was written, for any bytes", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9 .-]{0,40}$/), { maxLength: 6 }),
      fc.uint8Array({ maxLength: 1500 }),
      (names, bytes) => {
        const entries = names.map((name, at) => entry(name, bytes.subarray(at)))
        expect(plain(read(archive(...entries)))).toEqual(plain(entries))
      },
    ),
  )
})

describe("compared with the system's tar", () => {
  test("a folder and a file of another owner are listed as they were written, and a folder is no plain file", () => {
    using fresh = freshDirectory()
    const folder = { name: "home/", size: 0, modifiedAt: AT, mode: 0o700, owner: 10_001, isFolder: true, pieces: [] }
    const file = { name: "home/file", size: 1, modifiedAt: AT, owner: 7, pieces: [text("x")] }
    const bytes = Buffer.concat([...writeTar([folder, file])])
    writeFileSync(join(fresh.path, "made.tar"), bytes)
    const lines = tar(fresh.path, "--numeric-owner", "-tvf", join(fresh.path, "made.tar")).trimEnd().split("\n")
    const listed = lines.map((line) => line.split(/\s+/))
    expect(listed.map(([mode, owner, , , , name]) => [mode, owner, name])).toEqual([
      ["drwx------", "10001/10001", "home/"],
      ["-rw-r--r--", "7/7", "home/file"],
    ])
    expect(() => read(bytes)).toThrow(TarBroken)
  })

  test.each([["ustar"], ["gnu"], ["v7"]])("its %s archive is read, or refused as not ustar", (format) => {
    using fresh = freshDirectory()
    for (const [name, content] of [
      ["manifest.json", "{}"],
      ["sdn.csv", "x".repeat(70_000)],
      ["empty.csv", ""],
    ] as const) {
      writeFileSync(join(fresh.path, name), content)
      utimesSync(join(fresh.path, name), AT, AT)
    }
    tar(fresh.path, `--format=${format}`, "-cf", join(fresh.path, "made.tar"), "manifest.json", "sdn.csv", "empty.csv")
    const bytes = new Uint8Array(readFileSync(join(fresh.path, "made.tar")))
    if (format === "v7") expect(() => read(bytes)).toThrow("is not ustar")
    else
      expect(plain(read(bytes))).toEqual(
        plain([
          entry("manifest.json", text("{}")),
          entry("sdn.csv", text("x".repeat(70_000))),
          entry("empty.csv", text("")),
        ]),
      )
  })

  test("it lists, checks and unpacks our archive", () => {
    using fresh = freshDirectory()
    const entries = [
      entry("manifest.json", text("{}\n")),
      entry("sdn.csv", text("1,2\r\n\u001a")),
      entry("né me.csv", text("x".repeat(512))),
    ]
    const path = join(fresh.path, "ours.tar")
    writeFileSync(path, archive(...entries))
    mkdirSync(join(fresh.path, "out"))
    expect(tar(fresh.path, "--quoting-style=literal", "-tf", path).trim().split("\n")).toEqual(
      entries.map(({ name }) => name),
    )
    tar(join(fresh.path, "out"), "-xf", path)
    for (const { name, bytes } of entries) expect(readFileSync(join(fresh.path, "out", name)).equals(bytes)).toBe(true)
    expect(tar(join(fresh.path, "out"), "-df", path)).toBe("")
  })

  test.each<readonly [what: string, args: readonly string[], says: string]>([
    ["a folder", ["."], "a folder (put the files themselves into the archive)"],
    ["a symbolic link", ["link.csv"], "a symbolic link"],
    ["a hard link", ["sdn.csv", "hard.csv"], "a link"],
    ["a name in a folder", ["deep/er.csv"], ""],
    ["a long name", [`${"n".repeat(120)}.csv`], "a long name"],
    ["a pax record", ["--format=pax", "--pax-option=comment=x", "sdn.csv"], "a pax record"],
  ])("%s is refused, or returned under its full name for the caller to refuse", (_what, args, says) => {
    using fresh = freshDirectory()
    const at = (name: string) => join(fresh.path, "in", name)
    mkdirSync(at("deep"), { recursive: true })
    for (const name of ["sdn.csv", "deep/er.csv", `${"n".repeat(120)}.csv`]) writeFileSync(at(name), "x")
    symlinkSync("sdn.csv", at("link.csv"))
    Bun.spawnSync(["ln", at("sdn.csv"), at("hard.csv")])
    const made = join(fresh.path, "made.tar")
    tar(join(fresh.path, "in"), "-cf", made, ...args)
    const bytes = new Uint8Array(readFileSync(made))
    if (says === "") expect(read(bytes).map(({ name }) => name)).toEqual(["deep/er.csv"])
    else expect(() => read(bytes)).toThrow(says)
  })
})

describe("a changed archive", () => {
  const good = archive(entry("a.csv", text("one")), entry("b.csv", text("two")))
  const changed = (at: number, ...bytes: number[]) => {
    const copy = new Uint8Array(good)
    copy.set(bytes, at)
    return copy
  }

  test("is refused after a change of any header byte, unless the header still means the same", () => {
    const before = plain(read(good))
    for (let at = 0; at < 512; at++) {
      let after: unknown
      try {
        after = plain(read(changed(at, (good[at] ?? 0) ^ 0x41)))
      } catch (error) {
        expect(error).toBeInstanceOf(TarBroken)
        continue
      }
      expect(after).toEqual(before)
    }
  })

  test.each<readonly [what: string, bytes: Uint8Array, says: string]>([
    ["bytes after the end", new Uint8Array([...good, ...new Uint8Array(511), 1]), "bytes after the end mark"],
    ["a second archive after the end", new Uint8Array([...good, ...good]), "bytes after the end mark"],
    ["bytes in the padding of a file", changed(512 + 3, 1), "bytes hidden behind a.csv"],
    ["no end mark", good.subarray(0, good.length - 1024), "the end mark is missing"],
    ["half an end mark", good.subarray(0, good.length - 512), "half of the end mark"],
    ["a file cut off", good.subarray(0, 512 + 100), "cut off inside a.csv"],
    ["nothing at all", new Uint8Array(0), "the end mark is missing"],
    ["another format", text("PK\u0003\u0004".padEnd(2048, "x")), "is not ustar"],
  ])("with %s is refused", (_what, bytes, says) => {
    expect(() => read(bytes)).toThrow(says)
  })

  test("with more files than the limit is refused", () => {
    expect(readTar(good, 2)).toHaveLength(2)
    expect(() => readTar(good, 1)).toThrow("more than 1 files")
  })
})

test("any bytes are read or refused, and the reader never reads beyond them", () => {
  const good = archive(entry("a.csv", text("one")), entry("b.csv", new Uint8Array(600)))
  const cut = fc.nat({ max: good.length }).map((length) => good.subarray(0, length))
  const spoilt = fc.tuple(fc.nat({ max: good.length - 1 }), fc.uint8Array({ maxLength: 24 })).map(([at, bytes]) => {
    const copy = new Uint8Array(good)
    copy.set(bytes.subarray(0, copy.length - at), at)
    return copy
  })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 2000 }), cut, spoilt), (bytes) => {
      try {
        const total = read(bytes).reduce((sum, one) => sum + one.bytes.length, 0)
        expect(total).toBeLessThan(bytes.length)
      } catch (error) {
        expect(error).toBeInstanceOf(TarBroken)
      }
    }),
    { numRuns: 500 },
  )
})

test("a file that is longer or shorter than announced ends the archive with an error", () => {
  for (const size of [2, 4]) {
    const source = { name: "a.csv", size, modifiedAt: AT, pieces: [text("one")] }
    expect(() => [...writeTar([source])]).toThrow(`3 bytes, not ${size}`)
  }
})

test("a name that ustar cannot store is refused by the writer, and the longest possible name is not", () => {
  expect(read(archive(entry("n".repeat(100))))[0]?.name).toHaveLength(100)
  expect(() => archive(entry("n".repeat(101)))).toThrow("longer than the 100 bytes")
  expect(() => archive(entry("é".repeat(51)))).toThrow(TarBroken)
})

test("a size over 8 GiB is written as GNU tar writes it, and read again", () => {
  const size = 9 * 1024 ** 3
  const [block = new Uint8Array()] = writeTar([{ name: "large", size, modifiedAt: AT, pieces: [] }])
  expect(readHeader(block, 0)).toEqual({ name: "large", size, modifiedAt: AT })
  const folder = freshDirectory()
  const path = join(folder.path, "large.tar")
  // The header alone: `tar` prints it and then says that the rest is missing.
  writeFileSync(path, block)
  const listed = Bun.spawnSync(["tar", "-tvf", path], { stdout: "pipe", stderr: "pipe" })
  expect(listed.stdout.toString()).toContain(` ${size} `)
  folder[Symbol.dispose]()
})

test("a small size in the form of a large one is refused, because other readers may read another size", () => {
  const [block = new Uint8Array()] = writeTar([{ name: "a", size: 9 * 1024 ** 3, modifiedAt: AT, pieces: [] }])
  const small = Uint8Array.from(block)
  new DataView(small.buffer).setBigUint64(128, 5n)
  const sum = small.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  small.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, "0")}\u0000 `), 148)
  expect(() => readHeader(small, 0)).toThrow("impossible size")
})
