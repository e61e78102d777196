import { describe, expect } from "bun:test"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { zipSync } from "fflate"
import { unzip } from "../../../src/sources/formats/unzip.ts"
import { ZipFault } from "../../../src/sources/formats/zip-directory.ts"
import { listArchive, streamEntry } from "../../../src/sources/formats/zip-stream.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const LIMITS = { entriesMax: 4, bytesMax: 10_000_000 }
const content = new TextEncoder().encode(Array.from({ length: 60_000 }, (_, line) => `line ${line * 7919}\n`).join(""))

async function unpacked(path: string): Promise<{ bytes: Buffer; read: number }> {
  const [entry] = listArchive(path, LIMITS)
  if (!entry) throw new Error("no entry")
  const chunks: Uint8Array[] = []
  let read = 0
  const onRead = (bytes: number) => {
    read += bytes
  }
  for await (const chunk of streamEntry(path, entry, onRead)) chunks.push(chunk)
  return { bytes: Buffer.concat(chunks), read }
}

/** One stored entry with its sizes and offsets only in the ZIP64 records, as in archives over 4 GiB. */
function zip64(bytes: Uint8Array): Uint8Array {
  const name = Buffer.from("big.csv")
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(name.length, 26)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt32LE(crc32(bytes), 16)
  for (const at of [20, 24, 42]) entry.writeUInt32LE(0xffffffff, at)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt16LE(4 + 4 + 4 + 24, 30)
  const extra = Buffer.alloc(36)
  extra.writeUInt16LE(0x5455, 0)
  extra.writeUInt16LE(4, 2)
  extra.writeUInt16LE(1, 8)
  extra.writeUInt16LE(24, 10)
  extra.writeBigUInt64LE(BigInt(bytes.length), 12)
  extra.writeBigUInt64LE(BigInt(bytes.length), 20)
  const directoryAt = local.length + name.length + bytes.length
  const endAt = directoryAt + entry.length + name.length + extra.length
  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(1n, 32)
  end64.writeBigUInt64LE(BigInt(directoryAt), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(endAt), 8)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(0xffff, 10)
  end.writeUInt32LE(0xffffffff, 16)
  return Buffer.concat([local, name, bytes, entry, name, extra, end64, locator, end])
}

describe("an archive on disk", () => {
  test("is unpacked byte for byte, packed or stored, and reports how much of it was read", async () => {
    using fresh = freshDirectory()
    for (const level of [0, 6] as const) {
      const path = join(fresh.path, `${level}.zip`)
      writeFileSync(path, zipSync({ "list.csv": content }, { level }))
      const { bytes, read } = await unpacked(path)
      expect(bytes.equals(content)).toBe(true)
      expect(read).toBe(listArchive(path, LIMITS)[0]?.packedSize ?? -1)
    }
  })

  test("may have more than 4 GiB: its ZIP64 records are read, on disk and in memory", async () => {
    using fresh = freshDirectory()
    const path = join(fresh.path, "64.zip")
    const archive = zip64(content)
    writeFileSync(path, archive)
    expect((await unpacked(path)).bytes.equals(content)).toBe(true)
    expect(unzip(archive, "64.zip", LIMITS)).toEqual({ entries: [{ name: "big.csv", bytes: content }] })
    for (const length of [archive.length - 22 - 20, archive.length - 22 - 20 - 56]) {
      const cut = Buffer.concat([archive.subarray(0, length), archive.subarray(archive.length - 22)])
      expect(unzip(cut, "64.zip", LIMITS)).toMatchObject({ finding: { code: "CORRUPT" } })
    }
  })

  test("that is damaged, cut or wrong about its sizes is refused, before or at its end", async () => {
    using fresh = freshDirectory()
    const path = join(fresh.path, "list.zip")
    const whole = zipSync({ "list.csv": content })
    const directoryAt = new DataView(whole.buffer).getUint32(whole.length - 6, true)
    const changed = (at: number, to: number): Uint8Array => {
      const bytes = Uint8Array.from(whole)
      bytes[at] = to
      return bytes
    }
    const cases: readonly [Uint8Array, string][] = [
      [changed(500, (whole[500] ?? 0) ^ 1), "CORRUPT"],
      [changed(directoryAt + 16, (whole[directoryAt + 16] ?? 0) ^ 1), "CORRUPT"],
      [changed(directoryAt + 24, 0), "CORRUPT"],
      [changed(directoryAt + 10, 99), "NOT_DATA"],
      [changed(directoryAt + 8, 1), "NOT_DATA"],
      [changed(0, 0), "CORRUPT"],
      [whole.subarray(0, whole.length - 1), "TRUNCATED"],
      [whole.subarray(0, 1000), "TRUNCATED"],
      [new Uint8Array(0), "TRUNCATED"],
    ]
    for (const [bytes, code] of cases) {
      writeFileSync(path, bytes)
      const failure = await unpacked(path).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(ZipFault)
      expect((failure as ZipFault).code as string).toBe(code)
    }
    writeFileSync(path, whole)
    appendFileSync(path, "x")
    expect(() => listArchive(path, LIMITS)).toThrow(ZipFault)
    expect(readFileSync(path).length).toBe(whole.length + 1)
  })

  test("over the limits is refused by its directory alone", () => {
    using fresh = freshDirectory()
    const path = join(fresh.path, "many.zip")
    writeFileSync(path, zipSync(Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, content]))))
    expect(() => listArchive(path, LIMITS)).toThrow("5 entries, at most 4")
    expect(() => listArchive(path, { entriesMax: 9, bytesMax: 100 })).toThrow("unpacks to more")
  })
})
