/** The format of minisign: what it made, we read, and what we made, it reads. */
import { afterAll, describe, expect, test } from "bun:test"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  isSignedBy,
  MinisignFault,
  publicFile,
  publicText,
  readPublicKey,
  readSecretKey,
  readSignature,
  releaseKeyOf,
  secretFile,
  signFile,
} from "../../src/release/minisign.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const HAS_MINISIGN = Bun.which("minisign") !== null
const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const at = (name: string) => join(fresh.path, name)

const key = releaseKeyOf(new Uint8Array(32).fill(7), new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]))
const other = releaseKeyOf(new Uint8Array(32).fill(8), new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]))
const content = Buffer.from("a release\n")
const signed = signFile(key, content, "bizauth 1.0.0")

function minisign(...args: string[]): { readonly exit: number; readonly text: string } {
  const ran = Bun.spawnSync(["minisign", ...args], { stdout: "pipe", stderr: "pipe" })
  return { exit: ran.exitCode, text: `${ran.stdout.toString()}${ran.stderr.toString()}` }
}

describe("a key", () => {
  test("has the id that minisign prints, and reads from its file and from its line alone", () => {
    expect(key.id).toBe("0807060504030201")
    expect(publicText(key)).toMatch(/^RWQ[A-Za-z0-9+/]{53}$/)
    for (const text of [publicFile(key), publicText(key), publicFile(key).replaceAll("\n", "\r\n")]) {
      expect(readPublicKey(text)).toEqual({ id: key.id, x: key.x })
    }
    expect(readSecretKey(secretFile(key))).toEqual(key)
  })

  test.each([
    ["nothing", ""],
    ["a signature", signed],
    ["a line more", `${publicFile(key)}x\n`],
    ["one character less", publicText(key).slice(1)],
    ["another algorithm", publicText(key).replace(/^RWQ/, "RVQ")],
    ["a key of small order", `RWQ${"A".repeat(53)}`],
  ])("is refused: %s", (_, text) => {
    expect(() => readPublicKey(text)).toThrow(MinisignFault)
  })

  test("that is secret is refused with a password, and with one changed byte", () => {
    const [comment = "", line = ""] = secretFile(key).split("\n")
    const bytes = Buffer.from(line, "base64")
    const changed = (at: number, value: number) => {
      const copy = Buffer.from(bytes)
      copy[at] = value
      return `${comment}\n${copy.toString("base64")}\n`
    }
    expect(() => readSecretKey(changed(2, 0x53))).toThrow("has a password")
    for (const at of [70, 110]) expect(() => readSecretKey(changed(at, 99))).toThrow("damaged")
  })
})

describe("a signature", () => {
  test("has the same bytes for the same key, content and comment, and holds", () => {
    expect(signFile(key, content, "bizauth 1.0.0")).toBe(signed)
    const read = readSignature(signed)
    expect(read).toMatchObject({ keyId: key.id, trustedComment: "bizauth 1.0.0" })
    expect(isSignedBy(key, content, read)).toBe(true)
  })

  test("does not hold for another content, another comment or another key with the same id", () => {
    expect(isSignedBy(key, Buffer.from("a releasE\n"), readSignature(signed))).toBe(false)
    expect(isSignedBy(key, content, readSignature(signed.replace("1.0.0", "1.0.1")))).toBe(false)
    expect(isSignedBy(other, content, readSignature(signed))).toBe(false)
  })

  test("of which any character of a base64 line changed is refused or does not hold", () => {
    const lines = signed.trimEnd().split("\n")
    for (const row of [1, 3]) {
      const line = lines[row] ?? ""
      for (let column = 0; column < line.length; column++) {
        const changed = line[column] === "A" ? "B" : "A"
        const text = lines.with(row, `${line.slice(0, column)}${changed}${line.slice(column + 1)}`).join("\n")
        const holds = (() => {
          try {
            const read = readSignature(text)
            return read.keyId === key.id && isSignedBy(key, content, read)
          } catch (error) {
            if (error instanceof MinisignFault) return false
            throw error
          }
        })()
        expect([row, column, holds]).toEqual([row, column, false])
      }
    }
  })

  test.each([
    ["a public key", publicFile(key)],
    ["without the trusted comment", signed.split("\n").toSpliced(2, 1).join("\n")],
    ["a line more", `${signed}x\n`],
    ["over the whole file", signed.replace(/\nRU[A-Z]/, "\nRWQ")],
  ])("is refused: %s", (_, text) => {
    expect(() => readSignature(text)).toThrow(MinisignFault)
  })

  test("has a comment of one line", () => {
    for (const comment of ["two\nlines", "x".repeat(1025)]) {
      expect(() => signFile(key, content, comment)).toThrow("one line of at most 1024 bytes")
    }
  })
})

describe.skipIf(!HAS_MINISIGN)(`minisign itself${HAS_MINISIGN ? "" : " (NOT RUN: not installed)"}`, () => {
  test("accepts our signature, and refuses it over other bytes", () => {
    writeFileSync(at("sums"), content)
    writeFileSync(at("sums.minisig"), signed)
    writeFileSync(at("ours.pub"), publicFile(key))
    expect(minisign("-Vm", at("sums"), "-p", at("ours.pub"))).toMatchObject({
      exit: 0,
      text: expect.stringContaining("Trusted comment: bizauth 1.0.0"),
    })
    expect(minisign("-Vm", at("sums"), "-P", publicText(key)).exit).toBe(0)
    writeFileSync(at("sums"), "a releasE\n")
    expect(minisign("-Vm", at("sums"), "-p", at("ours.pub")).exit).not.toBe(0)
  })

  test("signs with our secret key, and we read its keys and signatures", () => {
    writeFileSync(at("file"), content)
    writeFileSync(at("ours.key"), secretFile(key))
    chmodSync(at("ours.key"), 0o600)
    expect(minisign("-Sm", at("file"), "-s", at("ours.key"), "-t", "by minisign").exit).toBe(0)
    const read = readSignature(readFileSync(at("file.minisig"), "utf8"))
    expect([read.trustedComment, isSignedBy(key, content, read)]).toEqual(["by minisign", true])
    expect(minisign("-G", "-W", "-p", at("theirs.pub"), "-s", at("theirs.key")).exit).toBe(0)
    const theirs = readSecretKey(readFileSync(at("theirs.key"), "utf8"))
    expect(readPublicKey(readFileSync(at("theirs.pub"), "utf8"))).toEqual({ id: theirs.id, x: theirs.x })
  })
})
