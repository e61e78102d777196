/** A release of this commit: made, signed, checked, run as a container, made again. It downloads a runtime and compiles twice, so it runs on request. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PLAIN_ENVIRONMENT } from "../../../scripts/plain-environment.ts"
import { imageFile } from "../../../scripts/release/image.ts"
import { fetchRuntime } from "../../../scripts/release/runtimes.ts"
import { TARGETS } from "../../../scripts/release/targets.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { codeSignature } from "../../fixtures/code-signature.ts"
import { NO_CONTAINERS } from "../../fixtures/image-container.ts"
import { REQUESTED } from "../../fixtures/long.ts"
import { filesWith } from "../../fixtures/release-contents.ts"
import { proveReleasedImage } from "../../fixtures/released-image.ts"

setDefaultTimeout(1_200_000)

const ROOT = join(import.meta.dir, "../../..")
const TARGET = "linux-x64"
const MAC = "macos-arm64"
const NOT_RUN = NO_CONTAINERS && `; its image as a container${NO_CONTAINERS}`
const scratch = mkdtempSync(join(tmpdir(), "release-test-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
const at = (...names: string[]) => join(scratch, ...names)
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))

function run(words: readonly string[], cwd = ROOT, env: Readonly<Record<string, string | undefined>> = process.env) {
  const ran = Bun.spawnSync([...words], { cwd, env, stdout: "pipe", stderr: "pipe" })
  return { exit: ran.exitCode, text: `${ran.stdout.toString()}${ran.stderr.toString()}` }
}
/** In a place with nothing but the system: no network, no home, no settings. */
const plainly = (program: string, ...words: string[]) =>
  run(["unshare", "--net", "--map-root-user", "env", "-i", program, ...words], scratch)

interface Maker {
  /** What no file of the release may name. */
  readonly names: readonly string[]
  run(...words: string[]): { readonly exit: number | null; readonly text: string }
}

/** A checkout of this commit, and a user and a host with names that occur nowhere else. */
function maker(name: string): Maker {
  const [clone, home] = [at(`${name}-checkout`), at(`${name}-home`)]
  mkdirSync(home)
  expect(run(["git", "clone", "-q", ROOT, clone]).exit).toBe(0)
  expect(run(["cp", "-al", join(ROOT, "node_modules"), join(clone, "node_modules")]).exit).toBe(0)
  const [user, host] = [`${name}-user`, `${name}-host`]
  const env = { ...process.env, HOME: home, USER: user, LOGNAME: user, TZ: name === "first" ? "Asia/Tokyo" : "UTC" }
  const asHost = ["unshare", "--uts", "sh", "-c", `hostname ${host} && exec "$@"`, "sh", process.execPath]
  return { names: [clone, home, user, host], run: (...words) => run([...asHost, ...words], clone, env) }
}

/** A page of a server that the program runs. */
async function pageOf(program: string, path: string): Promise<string> {
  expect(run([program, "init", "--data", at("data"), "--environment", "test"], scratch, {}).exit).toBe(0)
  const words = [program, "serve", "--data", at("data"), "--listen", "127.0.0.1:0"]
  const server = Bun.spawn(words, { env: {}, stdout: "pipe", stderr: "ignore" })
  try {
    const { value } = await server.stdout.getReader().read()
    const [, origin] = /^listening (\S+)\n/.exec(new TextDecoder().decode(value)) ?? []
    return await (await fetch(`${origin}${path}`, { headers: { accept: "text/html" } })).text()
  } finally {
    server.kill("SIGTERM")
    await server.exited
  }
}

/** What rpmlint says of the package, and why it stays. */
const ACCEPTED_BY_RPMLINT: readonly (readonly [code: string, because: string])[] = [
  ["unstripped-binary-or-object", "stripping would remove the program behind the runtime"],
  ["position-independent-executable-suggested", "the runtime is what it is"],
  ["systemd-unit-in-etc", "an operator changes the unit, as in the Debian package"],
  ["non-standard-uid", "the service has a user of its own"],
  ["non-standard-gid", "the same"],
  ["non-standard-dir-perm", "only the service reads its data"],
  ["no-signature", "the sums of the release are signed"],
  ["no-url-tag", "the project has no address"],
  ["no-manual-page-for-binary", "it has one, with gzip; this rpmlint looks for bzip2"],
  ["manpage-not-compressed", "the same"],
  ["invalid-license", "an SPDX id, which this rpmlint does not know"],
]

test.skipIf(!REQUESTED)(
  `a release is signed offline, checked by its own program and by minisign, and made again with equal bytes (BIZAUTH_LONG=1)${NOT_RUN}`,
  async () => {
    const main = [process.execPath, join(ROOT, "src/main.ts")]
    const bizauth = (...words: string[]) => run([...main, ...words], ROOT, PLAIN_ENVIRONMENT)
    expect(bizauth("release", "keygen", "--out", at("key")).exit).toBe(0)
    const [one, other] = ["first", "second"].map(maker) as [Maker, Maker]
    const make = ["scripts/release.ts", version, "--release-key", at("key.pub"), "--target", TARGET]
    const made = one.run(...make, "--out", at("release"))
    expect([made.exit, made.text]).toEqual([0, expect.stringContaining("sign it")])
    expect(other.run(...make, "--out", at("other")).exit).toBe(0)
    expect(readFileSync(at("other/SHA256SUMS"), "utf8")).toBe(readFileSync(at("release/SHA256SUMS"), "utf8"))
    expect(run(["sha256sum", "-c", "SHA256SUMS"], at("other")).exit).toBe(0)
    expect(bizauth("release", "sign", at("release", "SHA256SUMS"), "--key", at("key")).exit).toBe(0)

    const archive = at("release", `bizauth-${version}-${TARGET}.tar.gz`)
    expect(run(["tar", "-xzf", archive, "-C", scratch]).exit).toBe(0)
    const program = at(`bizauth-${version}-${TARGET}`, "bizauth")
    const [, key = ""] = readFileSync(at("key.pub"), "utf8").split("\n")
    expect(plainly(program, "version").text).toContain(`release key ${key}\n`)
    expect(await pageOf(program, "/docs")).toContain(`<code>${key}</code>`)

    const files = readdirSync(at("release")).filter((name) => !name.startsWith("SHA256SUMS"))
    const verify = (folder: string) => plainly(program, "version", "--verify", ...files.map((name) => at(folder, name)))
    expect(verify("release")).toMatchObject({ exit: EXIT.DONE })
    if (Bun.which("minisign")) {
      expect(run(["minisign", "-Vm", at("release", "SHA256SUMS"), "-p", at("key.pub")]).exit).toBe(0)
    }
    if (Bun.which("lintian")) {
      const judged = run([
        "lintian",
        "--allow-root",
        "--fail-on",
        "error,warning",
        at("release", `bizauth_${version}_amd64.deb`),
      ])
      expect(judged).toEqual({ exit: 0, text: "" })
    }
    const rpm = at("release", `bizauth-${version}-1.x86_64.rpm`)
    if (Bun.which("rpm")) expect(run(["rpm", "--checksig", "--nosignature", rpm]).exit).toBe(0)
    if (Bun.which("rpmlint")) {
      const codes = [...run(["rpmlint", rpm]).text.matchAll(/^bizauth\.x86_64: [EW]: (\S+)/gm)].map(([, code]) => code)
      expect(codes.length).toBeGreaterThan(0)
      expect(codes.filter((code) => !ACCEPTED_BY_RPMLINT.some(([accepted]) => accepted === code))).toEqual([])
    }
    expect(run(["sha256sum", "-c", "SHA256SUMS"], at("release")).exit).toBe(0)
    cpSync(at("release"), at("flipped"), { recursive: true })
    for (const name of [...files, "SHA256SUMS"]) {
      const bytes = readFileSync(at("flipped", name))
      const place = Math.floor(bytes.length * 0.7)
      const flip = () => {
        bytes[place] = (bytes[place] ?? 0) ^ 1
        writeFileSync(at("flipped", name), bytes)
      }
      flip()
      expect([name, verify("flipped").exit]).not.toEqual([name, EXIT.DONE])
      expect([name, run(["sha256sum", "-c", "SHA256SUMS"], at("flipped")).exit]).not.toEqual([name, 0])
      flip()
    }
    expect(verify("flipped").exit).toBe(EXIT.DONE)

    expect(filesWith(at("release"), [...one.names, scratch, ROOT])).toEqual([])
    // The words are found where they are.
    expect(filesWith(at("release"), [version, "ExecStart=/usr/bin/bizauth serve"]).length).toBeGreaterThan(5)
    if (NO_CONTAINERS === "") await proveReleasedImage(at("release", imageFile(version)), "amd64")
    const again = other.run("scripts/release.ts", "--rebuild", at("release"))
    expect([again.exit, again.text]).toEqual([0, expect.not.stringContaining("DIFFERS")])
  },
)

test.skipIf(!REQUESTED)(
  "the file for a Mac with an ARM processor has the digests of its pages (BIZAUTH_LONG=1)",
  async () => {
    const target = TARGETS.find(({ name }) => name === MAC)
    if (target === undefined) throw new Error(`no target ${MAC}`)
    const { path } = await fetchRuntime(target, join(ROOT, "dist/runtimes"))
    const build = ["scripts/build.ts", "--out", at(MAC), "--target", target.compiledFor, "--executable", path]
    expect(run([process.execPath, ...build], ROOT, PLAIN_ENVIRONMENT).exit).toBe(0)
    const program = readFileSync(at(MAC, "bizauth"))
    expect(codeSignature(program)).toEqual({ isAdHoc: true, pages: expect.any(Number), wrong: [] })
    program[program.length >> 1] = (program[program.length >> 1] ?? 0) ^ 1
    expect(codeSignature(program).wrong).toHaveLength(1)
  },
)
