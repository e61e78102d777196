import { describe, expect, test } from "bun:test"
import { zipSync } from "fflate"
import { unzip } from "../../../src/sources/formats/unzip.ts"

const LIMITS = { entriesMax: 2, bytesMax: 10_000 }
const content = new TextEncoder().encode("a list, and the same again\n".repeat(60))
const archive = zipSync({ "list.csv": content })

function refusal(bytes: Uint8Array, limits = LIMITS): string {
  const result = unzip(bytes, "list.zip", limits)
  return "finding" in result ? `${result.finding.severity} ${result.finding.code}` : "unpacked"
}

describe("unzip", () => {
  test("returns packed and stored entries byte for byte", () => {
    for (const level of [0, 6] as const) {
      const result = unzip(zipSync({ "list.csv": content }, { level }), "list.zip", LIMITS)
      expect(result).toEqual({ entries: [{ name: "list.csv", bytes: content }] })
    }
  })

  test("returns an empty entry as empty, packed or stored", () => {
    for (const level of [0, 6] as const) {
      const result = unzip(zipSync({ "empty.csv": new Uint8Array(0) }, { level }), "list.zip", LIMITS)
      expect(result).toEqual({ entries: [{ name: "empty.csv", bytes: new Uint8Array(0) }] })
    }
  })

  test("refuses an archive cut at any point", () => {
    for (let length = 0; length < archive.length; length += 1) {
      expect(refusal(archive.subarray(0, length))).toStartWith("hard ")
    }
  })

  test("refuses an archive with any one byte of its data changed", () => {
    const dataAt = 30 + "list.csv".length
    const directoryAt = new DataView(archive.buffer).getUint32(archive.length - 6, true)
    for (let at = dataAt; at < directoryAt; at += 1) {
      const damaged = Uint8Array.from(archive)
      damaged[at] = (damaged[at] ?? 0) ^ 0xff
      expect(refusal(damaged)).toBe("hard CORRUPT")
    }
  })

  test("refuses bytes after the end record", () => {
    expect(refusal(Uint8Array.from([...archive, 0]))).toBe("hard TRUNCATED")
  })

  test("refuses more entries than the limit", () => {
    const three = zipSync({ a: content, b: content, c: content })
    expect(refusal(three)).toBe("hard TOO_LARGE")
    expect(refusal(three, { entriesMax: 3, bytesMax: 10_000 })).toBe("unpacked")
  })

  test("refuses by the declared size before it unpacks anything", () => {
    expect(refusal(zipSync({ bomb: new Uint8Array(10_001) }))).toBe("hard TOO_LARGE")
    expect(refusal(zipSync({ fits: new Uint8Array(10_000) }))).toBe("unpacked")
  })

  test("refuses an archive that declares less than it unpacks to, and never uses more memory", () => {
    const lying = Uint8Array.from(archive)
    const view = new DataView(lying.buffer)
    const directoryAt = view.getUint32(lying.length - 6, true)
    view.setUint32(directoryAt + 24, 10, true)
    expect(refusal(lying)).toBe("hard CORRUPT")
  })

  test("refuses an encrypted entry", () => {
    const locked = Uint8Array.from(archive)
    const directoryAt = new DataView(locked.buffer).getUint32(locked.length - 6, true)
    locked[directoryAt + 8] = 1
    expect(refusal(locked)).toBe("hard NOT_DATA")
  })
})
