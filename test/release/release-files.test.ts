/** What the files of a release hold, and that their bytes depend on the commit alone. */
import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { Spec, Validation } from "@cyclonedx/cyclonedx-library"
import { packed } from "../../scripts/release/archive.ts"
import { licenceText } from "../../scripts/release/licence-texts.ts"
import { requireSection } from "../../scripts/release/make-release.ts"
import { cLibraryNotice, imageLicenses, noticesText } from "../../scripts/release/notices.ts"
import { bundledPackages } from "../../scripts/release/packages.ts"
import { FileMissing, fetchPinned } from "../../scripts/release/pinned-file.ts"
import { provenanceText } from "../../scripts/release/provenance.ts"
import { fetchRuntime } from "../../scripts/release/runtimes.ts"
import { sbomText } from "../../scripts/release/sbom.ts"
import { readSource, sourceOf } from "../../scripts/release/source.ts"
import { BUN_VERSION, TARGETS, type Target } from "../../scripts/release/targets.ts"
import { type ReleaseKey, releaseKeyOf } from "../../src/release/minisign.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const ROOT = join(import.meta.dir, "../..")
const RELEASE = {
  version: "1.0.0",
  license: "Apache-2.0",
  at: "2026-01-01T00:00:00.000Z",
  sourceDigest: "0".repeat(64),
  runtimes: [{ input: { name: "@oven/bun-linux-x64@1.4.4", integrity: TARGETS[0]?.integrity ?? "" } }],
}
const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const at = (...names: string[]) => join(fresh.path, ...names)

function git(folder: string, ...words: string[]): void {
  const env = { PATH: process.env["PATH"] ?? "", HOME: fresh.path }
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
  const ran = Bun.spawnSync(["git", ...who, ...words], { cwd: folder, env, stderr: "pipe" })
  if (ran.exitCode !== 0) throw new Error(ran.stderr.toString())
}

function newRepository(name: string): string {
  const folder = at(name)
  mkdirSync(folder)
  git(folder, "init", "-q")
  writeFileSync(join(folder, "file"), "x\n")
  git(folder, "add", "file")
  git(folder, "commit", "-qm", "one", "--date=2026-01-01T00:00:00Z")
  return folder
}

describe("an archive", () => {
  const files = [
    { name: "b", content: "two" },
    { name: "a", content: "one", isProgram: true },
  ]

  test("has the same bytes in whatever order its files are given", () => {
    expect(packed("x-1.0", files.toReversed(), 1_000)).toEqual(packed("x-1.0", files, 1_000))
  })

  test("lists its files by name, of no person, with a fixed time, and only the program can be run", () => {
    writeFileSync(at("x.tar.gz"), packed("x-1.0", files, 1_000))
    const listed = Bun.spawnSync(["tar", "--utc", "--full-time", "--numeric-owner", "-tvzf", at("x.tar.gz")])
    const lines = listed.stdout
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/\s+/))
    expect(lines).toEqual([
      ["-rwxr-xr-x", "0/0", "3", "1970-01-01", "00:16:40", "x-1.0/a"],
      ["-rw-r--r--", "0/0", "3", "1970-01-01", "00:16:40", "x-1.0/b"],
    ])
  })
})

describe("a source archive", () => {
  test("names its commit and the time of it, also without git", () => {
    const folder = newRepository("whole")
    const source = sourceOf(folder, "x-1.0")
    const head = Bun.spawnSync(["git", "show", "-s", "--format=%H %ct"], { cwd: folder }).stdout.toString().trim()
    expect(`${source.commit} ${source.seconds}`).toBe(head)
    expect(readSource(Bun.gzipSync(Buffer.from(source.tar)))).toEqual(source)
  })

  test("is the same whatever its maker has set for git", () => {
    const folder = newRepository("settings")
    const before = sourceOf(folder, "x-1.0")
    writeFileSync(at("attributes"), "* export-ignore\n")
    const settings = { "tar.umask": "0077", "core.autocrlf": "true", "core.attributesFile": at("attributes") }
    for (const [name, value] of Object.entries(settings)) git(folder, "config", name, value)
    expect(sourceOf(folder, "x-1.0")).toEqual(before)
  })

  test("is not made of a tree with changes, and other archives are refused", () => {
    const folder = newRepository("changed")
    writeFileSync(join(folder, "more"), "x")
    expect(() => sourceOf(folder, "x-1.0")).toThrow("changes that no commit has")
    const other = gunzipSync(packed("x-1.0", [{ name: "a", content: "one" }], 1_000))
    expect(() => readSource(other)).toThrow("no archive of a commit")
  })
})

describe("the bundled packages", () => {
  test("are the dependencies of package.json and theirs, each with version, digest and licence", async () => {
    const packages = await bundledPackages(ROOT)
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
    const names = packages.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)))
    // In the lock under the name of the package that needs another version of it.
    const hashes = packages.filter(({ name }) => name === "@noble/hashes").map(({ version }) => version)
    expect(hashes).toContain(dependencies["@noble/hashes"])
    expect(hashes.length).toBeGreaterThan(1)
    expect(names).not.toContain("playwright-core")
    expect(Object.keys(devDependencies)).toContain("playwright-core")
    for (const { integrity, license } of packages)
      expect([integrity, license]).toEqual([expect.stringMatching(/^sha512-/), expect.stringMatching(/./)])
    const text = noticesText(packages)
    for (const { name, version } of packages) expect(text).toContain(`${name} ${version} (`)
    // These ask for their text in every copy, also where a package comes without it.
    const asks = /permission is hereby granted|permission to use, copy, modify|redistribution and use|apache license/i
    for (const { name, notices } of packages) expect([name, asks.test(notices.join(""))]).toEqual([name, true])
    expect(text).toContain("saxes 6.0.0 (ISC)\n\nISC License\n\nCopyright (c) Louis-Dominique Dubeau")
    expect(licenceText("WTFPL", "nobody")).toBeNull()
  })

  test("are in a bill of materials that the validator of CycloneDX accepts", async () => {
    const packages = await bundledPackages(ROOT)
    const { dependencies: direct } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
    const text = sbomText({ ...RELEASE, direct }, packages)
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    expect(await validator.validate(text)).toBeNull()
    const { components, dependencies } = JSON.parse(text)
    expect(components).toHaveLength(packages.length + 1)
    expect(components[0]).toMatchObject({
      name: "@oven/bun-linux-x64",
      purl: "pkg:npm/%40oven/bun-linux-x64@1.4.4",
      licenses: [{ expression: expect.stringContaining("LGPL-2.0-or-later") }],
    })
    for (const { hashes, licenses } of components)
      expect([hashes[0].content, licenses.length]).toEqual([expect.stringMatching(/^[0-9a-f]{128}$/), 1])
    // The runtime, and what package.json names.
    expect(dependencies[0].dependsOn).toHaveLength(1 + Object.keys(direct).length)
    expect(Object.keys(direct).length).toBeLessThan(packages.length)
    expect(await validator.validate(text.replace('"SHA-512"', '"SHA-0"'))).not.toBeNull()
  })

  test("are there beside the image and the C library of each of its processors", async () => {
    const packages = await bundledPackages(ROOT)
    const licenses = imageLicenses("Apache-2.0", packages)
    expect(licenses.split(" AND ")).toEqual(expect.arrayContaining(["Apache-2.0", "LGPL-2.1-or-later", "MIT"]))
    const image = { file: "x.oci.tar", sha256: "a".repeat(64), licenses, libraries: { amd64: "b".repeat(64) } }
    const text = sbomText({ ...RELEASE, direct: {} }, packages, image)
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull()
    const { components, dependencies } = JSON.parse(text)
    const [, library] = components.slice(-2)
    expect(library).toMatchObject({ name: "libc6", hashes: [{ alg: "SHA-256", content: "b".repeat(64) }] })
    const { dependsOn } = dependencies.find(({ ref }: { ref: string }) => ref === image.file)
    expect(dependsOn).toEqual(["bizauth", library["bom-ref"]])
    const notices = noticesText(packages, [cLibraryNotice("its copyright")])
    expect(notices).toEndWith("its copyright\n")
    expect(notices).toContain(library.externalReferences[0].url)
  })
})

describe("the provenance", () => {
  const [target] = TARGETS
  if (target === undefined) throw new Error("no target")
  const source = { tar: new Uint8Array(), commit: "c".repeat(40), seconds: 1 }
  const order = { version: "1.0.0", source, targets: TARGETS, out: "", runtimes: "", print: () => {} }
  const made = { at: RELEASE.at, sourceDigest: RELEASE.sourceDigest, lock: "", runtimes: RELEASE.runtimes, image: null }
  const key = releaseKeyOf(new Uint8Array(32).fill(7), new Uint8Array(8))

  test("has the command that makes the same release: its key, and its targets unless it has all", () => {
    const commandOf = (releaseKey: ReleaseKey | null, built: readonly Target[]) =>
      JSON.parse(provenanceText({ ...made, order: { ...order, releaseKey }, built })).command
    expect(commandOf(null, TARGETS)).toBe("bun scripts/release.ts 1.0.0")
    expect(commandOf(key, [target])).toBe(
      "bun scripts/release.ts 1.0.0 --release-key release.key.pub --target linux-x64",
    )
  })

  test("is of a version that the changelog knows", () => {
    expect(() => requireSection("# Changelog\n\n## 1.0.0\n\nNew.\n\n## 0.9.0\n\nOld.\n", "1.0.0")).not.toThrow()
    for (const text of ["", "# Changelog\n\n## 1.0.0\n\n## 0.9.0\n\nOld.\n", "\n## 1.0.01\n\nNew.\n"])
      expect(() => requireSection(text, "1.0.0")).toThrow('no section "## 1.0.0"')
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
    requireSection(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version)
  })
})

describe("the runtimes", () => {
  test("are of the version that package.json pins, one for each target", () => {
    const { packageManager } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
    expect(packageManager).toBe(`bun@${BUN_VERSION}`)
    for (const field of ["name", "compiledFor", "runtime", "integrity"] as const) {
      expect(new Set(TARGETS.map((target) => target[field])).size).toBe(TARGETS.length)
    }
  })

  test("are refused with another digest than the pinned one", async () => {
    const [target] = TARGETS
    if (target === undefined) throw new Error("no target")
    mkdirSync(at("runtimes"))
    writeFileSync(at("runtimes", `${target.runtime.replace("@oven/", "")}-${BUN_VERSION}.tgz`), "x")
    const refused = await fetchRuntime(target, at("runtimes")).catch((error: unknown) => error)
    expect(String(refused)).toContain("and the pinned one is")
    expect(refused).not.toBeInstanceOf(FileMissing)
  })
})

describe("a pinned file", () => {
  const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex")
  const served = () =>
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => (url.endsWith("/there") ? new Response("content") : new Response("no", { status: 404 })),
    })

  test("is fetched from the first place that has it, and once", async () => {
    await using server = served()
    const { origin } = server.url
    const file = { name: "one", algorithm: "sha256", digest: sha256("content") } as const
    const urls = [`${origin}/moved`, `${origin}/there`] as const
    expect(Buffer.from(await fetchPinned({ ...file, urls }, at("kept"))).toString()).toBe("content")
    await server.stop(true)
    expect(await fetchPinned({ ...file, urls }, at("kept"))).toHaveLength("content".length)
  })

  test("is missing if no place has it, with what each of them answers", async () => {
    await using server = served()
    const { origin } = server.url
    const file = { name: "two", algorithm: "sha256", digest: sha256("content"), urls: [`${origin}/moved`] } as const
    const missing = await fetchPinned(file, at("kept")).catch((error: unknown) => error)
    expect(missing).toBeInstanceOf(FileMissing)
    expect(String(missing)).toContain(`${origin}/moved answers 404`)
  })
})
