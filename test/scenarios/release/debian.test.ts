/** The Debian package, installed, upgraded, removed and purged in a folder of the test. Its program is a small one. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { debianPackage } from "../../../scripts/release/debian.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

setDefaultTimeout(60_000)

const IS_ABLE = Bun.which("dpkg") !== null && process.getuid?.() === 0
const WHY = IS_ABLE ? "" : " (NOT RUN: no dpkg here, or not root)"
const SECONDS = 1_790_000_000
const UNIT = "etc/systemd/system/bizauth.service"
const WANTS = "etc/systemd/system/multi-user.target.wants"
const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const at = (...names: string[]) => join(fresh.path, ...names)
const root = at("root")

function packageOf(version: string, name: string): Uint8Array {
  const program = { name: "bizauth", content: `#!/bin/sh\necho ${version}\n`, isProgram: true }
  const texts = [
    "bizauth.1",
    "NOTICES.txt",
    "completions/bizauth.bash",
    "completions/_bizauth",
    "completions/bizauth.fish",
  ]
  const files = [program, ...texts.map((text) => ({ name: text, content: `${text}\n` }))]
  const bytes = debianPackage({ version, processor: "amd64", files, seconds: SECONDS })
  writeFileSync(at(`${name}.deb`), bytes)
  return bytes
}

function dpkg(words: readonly string[], environment: Record<string, string> = {}) {
  const places = [`--instdir=${root}`, `--admindir=${join(root, "var/lib/dpkg")}`, "--force-script-chrootless"]
  const ran = Bun.spawnSync(["dpkg", ...places, "--force-depends", "--force-confold", ...words], {
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdout: "pipe",
    stderr: "pipe",
  })
  return { exit: ran.exitCode, text: `${ran.stdout.toString()}${ran.stderr.toString()}` }
}

describe.skipIf(!IS_ABLE)(`the Debian package${WHY}`, () => {
  beforeAll(() => {
    for (const folder of ["etc", "var/lib/dpkg/info", "var/lib/dpkg/updates"])
      mkdirSync(join(root, folder), { recursive: true })
    for (const file of ["status", "available"]) writeFileSync(join(root, "var/lib/dpkg", file), "")
    for (const file of ["passwd", "group", "shadow", "gshadow"]) writeFileSync(join(root, "etc", file), "")
    packageOf("1.0.0", "one")
    packageOf("1.1.0", "two")
  })

  test("has the same bytes when it is made again, and owns every file as root", () => {
    expect(packageOf("1.0.0", "again")).toEqual(readFileSync(at("one.deb")))
    const listed = Bun.spawnSync(["dpkg-deb", "--contents", at("one.deb")])
      .stdout.toString()
      .trimEnd()
      .split("\n")
    expect(listed.length).toBeGreaterThan(10)
    for (const line of listed) expect(line.split(/\s+/)[1]).toBe("0/0")
    expect(listed[0]).toMatch(/^drwxr-xr-x .* \.\/$/)
  })

  test("installs the program, the unit, the user and a folder that only the user reads", () => {
    const ran = dpkg(["--install", at("one.deb")])
    expect([ran.exit, ran.text]).toEqual([0, expect.stringContaining("Setting up bizauth (1.0.0)")])
    expect(Bun.spawnSync([join(root, "usr/bin/bizauth")]).stdout.toString()).toBe("1.0.0\n")
    expect(readFileSync(join(root, UNIT), "utf8")).toContain("ExecStart=/usr/bin/bizauth serve")
    expect(dpkg(["--verify", "bizauth"])).toEqual({ exit: 0, text: "" })
    const user = /^bizauth:[^:]*:(\d+):/m.exec(readFileSync(join(root, "etc/passwd"), "utf8"))?.[1]
    const { uid, mode } = statSync(join(root, "var/lib/bizauth"))
    expect([uid, mode & 0o777]).toEqual([Number(user), 0o700])
  })

  test("keeps a changed unit and the data over an upgrade", () => {
    appendFileSync(join(root, UNIT), "# ours\n")
    writeFileSync(join(root, "var/lib/bizauth/data"), "an answer")
    expect(dpkg(["--install", at("two.deb")])).toMatchObject({ exit: 0 })
    expect(Bun.spawnSync([join(root, "usr/bin/bizauth")]).stdout.toString()).toBe("1.1.0\n")
    expect(readFileSync(join(root, UNIT), "utf8")).toContain("# ours\n")
    expect(existsSync(join(root, "var/lib/bizauth/data"))).toBe(true)
  })

  test("a removal keeps unit and data, and leaves nothing that systemd would start", () => {
    mkdirSync(join(root, WANTS), { recursive: true })
    symlinkSync(`/${UNIT}`, join(root, WANTS, "bizauth.service"))
    for (const folder of ["etc/bizauth", "var/log/bizauth"]) {
      mkdirSync(join(root, folder), { recursive: true })
      writeFileSync(join(root, folder, "kept"), "")
    }
    expect(dpkg(["--remove", "bizauth"]).exit).toBe(0)
    expect([existsSync(join(root, "usr/bin/bizauth")), existsSync(join(root, UNIT))]).toEqual([false, true])
    expect(readdirSync(join(root, WANTS))).toEqual([])
  })

  test("a purge keeps data, settings and logs and names them, and removes them only on request", () => {
    const places = ["var/lib/bizauth/data", "etc/bizauth/kept", "var/log/bizauth/kept"]
    const there = () => places.filter((place) => existsSync(join(root, place)))
    const purged = dpkg(["--purge", "bizauth"])
    expect([purged.exit, there()]).toEqual([0, places])
    for (const folder of ["var/lib/bizauth", "etc/bizauth", "var/log/bizauth"])
      expect(purged.text).toContain(`${join(root, folder)} stays; BIZAUTH_PURGE_DATA=yes removes it`)
    expect(existsSync(join(root, UNIT))).toBe(false)
    expect(dpkg(["--install", at("two.deb")]).exit).toBe(0)
    expect(dpkg(["--purge", "bizauth"], { BIZAUTH_PURGE_DATA: "yes" }).exit).toBe(0)
    for (const folder of ["var/lib/bizauth", "etc/bizauth", "var/log/bizauth"])
      expect([folder, existsSync(join(root, folder))]).toEqual([folder, false])
  })
})
