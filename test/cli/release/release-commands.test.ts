/** From the key of a publisher to the check of a download: the three commands, and each of their refusals. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { command as keygen } from "../../../src/cli/release/keygen.ts"
import { command as sign } from "../../../src/cli/release/sign.ts"
import { command as version } from "../../../src/cli/version.ts"
import { sha256 } from "../../../src/core/sha256.ts"
import { readSums, sumsText } from "../../../src/release/sums.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const at = (...names: string[]) => join(fresh.path, ...names)
const FILES = { "bizauth-1.0.0-linux-x64.tar.gz": "the archive", "sbom.cdx.json": "{}" }
const [ARCHIVE] = Object.keys(FILES) as [string]

const digest = (text: string) => Buffer.from(sha256(Buffer.from(text))).toString("hex")
const verify = (folder: string, ...more: string[]) =>
  runCommand(version, ["--verify", at(folder, ARCHIVE), "--release-key", at("release.key.pub"), ...more])

/** A copy of the release in which one file has other content. */
function copyWith(folder: string, name: string, content: string): void {
  cpSync(at("release"), at(folder), { recursive: true })
  writeFileSync(at(folder, name), content)
}
const released = (name: string) => readFileSync(at("release", name), "utf8")

beforeAll(async () => {
  mkdirSync(at("release"))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(at("release", name), text)
  const sums = new Map(Object.entries(FILES).map(([name, text]) => [name, digest(text)]))
  writeFileSync(at("release", "SHA256SUMS"), sumsText(sums))
  for (const name of ["release.key", "other.key"]) {
    expect((await runCommand(keygen, ["--out", at(name)])).exit).toBe(EXIT.DONE)
  }
  const signed = ["--key", at("release.key"), "--comment", "bizauth 1.0.0"]
  expect((await runCommand(sign, [at("release", "SHA256SUMS"), ...signed])).exit).toBe(EXIT.DONE)
})

describe("release keygen", () => {
  test("makes a secret file for its owner only, and overwrites neither half", async () => {
    expect(statSync(at("release.key")).mode & 0o777).toBe(0o600)
    expect(await runCommand(keygen, ["--out", at("release.key")])).toMatchObject({
      exit: EXIT.USAGE,
      err: expect.stringContaining("exists and is not overwritten"),
    })
  })
})

describe("release sign", () => {
  test("overwrites no signature, and signs no standard input", async () => {
    for (const path of [at("release", "SHA256SUMS"), "-"]) {
      expect((await runCommand(sign, [path, "--key", at("release.key")])).exit).toBe(EXIT.USAGE)
    }
  })

  test("refuses a file that is no secret key, and one that others may read", async () => {
    copyWith("unsigned", "SHA256SUMS", "x")
    const once = (key: string) => runCommand(sign, [at("unsigned", "sbom.cdx.json"), "--key", key])
    writeFileSync(at("text.key"), "no key", { mode: 0o600 })
    expect(await once(at("text.key"))).toMatchObject({
      exit: EXIT.INVALID,
      err: expect.stringContaining("secret key of minisign"),
    })
    writeFileSync(at("open.key"), readFileSync(at("release.key")), { mode: 0o644 })
    expect((await once(at("open.key"))).exit).toBe(EXIT.CONFIG)
    expect((await once(at("missing.key"))).exit).toBe(EXIT.CONFIG)
  })
})

describe("version --verify", () => {
  test("says who signed, what, and which files are genuine", async () => {
    const ran = await verify("release", at("release", "sbom.cdx.json"), "--json")
    expect(ran.exit).toBe(EXIT.DONE)
    expect(JSON.parse(ran.out)).toMatchObject({
      comment: "bizauth 1.0.0",
      genuine: [at("release", ARCHIVE), at("release", "sbom.cdx.json")],
    })
    expect((await verify("release")).out).toContain("bizauth 1.0.0")
  })

  test("finds one flipped bit at any place of a file, of the sums and of their signature", async () => {
    for (const name of [ARCHIVE, "SHA256SUMS", "SHA256SUMS.minisig"]) {
      const text = Buffer.from(released(name))
      // Nothing covers the first line of a signature.
      const from = name.endsWith(".minisig") ? text.indexOf("\n") + 1 : 0
      for (let place = from; place < text.length; place += Math.max(1, Math.floor(text.length / 40))) {
        const flipped = Buffer.from(text)
        flipped[place] = (flipped[place] ?? 0) ^ 1
        copyWith("flipped", name, "")
        writeFileSync(at("flipped", name), flipped)
        expect([name, place, (await verify("flipped")).exit]).not.toEqual([name, place, EXIT.DONE])
      }
    }
  })

  test("says apart: a wrong file, a wrong signature, an unknown key", async () => {
    copyWith("wrong-file", ARCHIVE, "another archive")
    expect(await verify("wrong-file")).toMatchObject({
      exit: EXIT.INVALID,
      err: expect.stringMatching(
        /is not the file that was published.*; download it again, and if it stays so, tell the publisher$/,
      ),
    })
    copyWith("wrong-sums", "SHA256SUMS", released("SHA256SUMS").replace("linux", "linuy"))
    expect(await verify("wrong-sums")).toMatchObject({
      exit: EXIT.INVALID,
      err: expect.stringMatching(/is no signature of .*; download it again, and if it stays so, tell the publisher$/),
    })
    const other = await runCommand(version, ["--verify", at("release", ARCHIVE), "--release-key", at("other.key.pub")])
    expect(other).toMatchObject({
      exit: EXIT.NOT_CHECKED,
      err: expect.stringMatching(/and the known release key is .*; ask the publisher, over another channel/),
    })
  })

  test("names every wrong file, and one that cannot be read beside them", async () => {
    copyWith("both", ARCHIVE, "another archive")
    writeFileSync(at("both", "sbom.cdx.json"), "{ }")
    const ran = await verify("both", at("both", "none"), at("both", "sbom.cdx.json"))
    expect(ran.exit).toBe(EXIT.INVALID)
    const named = ran.err.split("\n").map((line) => /(\S+) is not|cannot read (\S+): /.exec(line)?.slice(1).join(""))
    expect(named).toEqual([ARCHIVE, "none", "sbom.cdx.json"].map((name) => at("both", name)))
  })

  test("refuses a file that the sums do not list, sums of another form, and what it cannot read", async () => {
    copyWith("more", "more.tar.gz", "x")
    const listed = await runCommand(version, [
      "--verify",
      at("more", "more.tar.gz"),
      "--release-key",
      at("release.key.pub"),
    ])
    expect(listed).toMatchObject({ exit: EXIT.INVALID, err: expect.stringContaining("list no file more.tar.gz") })
    for (const missing of [
      ["--sums", at("none")],
      ["--sums", at("release", "sbom.cdx.json")],
      [at("release", "none")],
    ]) {
      expect((await verify("release", ...missing)).exit).toBe(EXIT.NOT_CHECKED)
    }
    expect((await runCommand(version, ["--verify"])).exit).toBe(EXIT.USAGE)
    expect((await runCommand(version, [at("release", ARCHIVE)])).exit).toBe(EXIT.USAGE)
  })

  test("without a key in the build and on the command line says so, and checks nothing", async () => {
    expect(await runCommand(version, ["--verify", at("release", ARCHIVE)])).toMatchObject({
      exit: EXIT.NOT_CHECKED,
      err: expect.stringContaining("this build has no release key"),
    })
    expect((await runCommand(version, [])).out).toContain("release key none")
  })
})

test("sums are read as sha256sum writes them, and each name counts once", () => {
  const digests = ["0".repeat(64), "f".repeat(64)]
  expect(readSums(`${digests[0]}  a.txt\n${digests[1]} *b-1.0_x.tar.gz\n`)).toEqual(
    new Map([
      ["a.txt", digests[0] as string],
      ["b-1.0_x.tar.gz", digests[1] as string],
    ]),
  )
  for (const wrong of [
    "",
    "x",
    `${digests[0]} a`,
    `${digests[0]}  ../a`,
    `${digests[0]}  a\n${digests[1]}  a`,
    `${"F".repeat(64)}  a`,
  ]) {
    expect(readSums(wrong)).toBeNull()
  }
})
