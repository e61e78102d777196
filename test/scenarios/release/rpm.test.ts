/** The RPM package, read by rpm, and installed, upgraded and removed by rpm in a machine of the test. Its program is a small one. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rpmName, rpmPackage } from "../../../scripts/release/rpm.ts"
import { type BareMachine, noMachine, startMachine } from "../../fixtures/bare-machine.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

setDefaultTimeout(60_000)

const NO_RPM = Bun.which("rpm") === null || Bun.which("rpm2cpio") === null ? "rpm is not installed" : null
const NOT_INSTALLED = NO_RPM ?? noMachine
const because = (why: string | null) => (why === null ? "" : ` (NOT RUN: ${why})`)
const SECONDS = 1_790_000_000
const UNIT = "etc/systemd/system/bizauth.service"
const PROGRAM = "/usr/bin/bizauth"
const TEXTS = ["bizauth.1", "LICENSE", "README.md", "CHANGELOG.md", "NOTICES.txt"]
const COMPLETIONS = ["completions/bizauth.bash", "completions/_bizauth", "completions/bizauth.fish"]
const FORCED = "--nodeps --nosignature --force-debian"

function packageOf(version: string): Uint8Array {
  const program = { name: "bizauth", content: `#!/bin/sh\necho ${version}\n`, isProgram: true }
  const files = [program, ...[...TEXTS, ...COMPLETIONS].map((name) => ({ name, content: `${name}\n` }))]
  return rpmPackage({ version, processor: "x86_64", license: "Apache-2.0", files, seconds: SECONDS })
}

test("has the same bytes when it is made again, and other bytes for another version", () => {
  expect(Buffer.compare(packageOf("1.0.0"), packageOf("1.0.0"))).toBe(0)
  expect(Buffer.compare(packageOf("1.0.0"), packageOf("1.1.0"))).not.toBe(0)
  expect(rpmName("1.0.0-rc.1", "x86_64")).toBe("bizauth-1.0.0~rc.1-1.x86_64.rpm")
})

describe.skipIf(NO_RPM !== null)(`rpm reads the package${because(NO_RPM)}`, () => {
  const fresh = freshDirectory()
  const file = join(fresh.path, rpmName("1.0.0", "x86_64"))
  beforeAll(() => writeFileSync(file, packageOf("1.0.0")))
  afterAll(() => fresh[Symbol.dispose]())
  const rpm = (...words: string[]) => {
    const ran = Bun.spawnSync(["rpm", ...words, file], { stdout: "pipe", stderr: "pipe" })
    return { exit: ran.exitCode, out: ran.stdout.toString(), err: ran.stderr.toString() }
  }

  test("finds every digest right, and a flipped byte anywhere behind the lead wrong", () => {
    expect(rpm("--checksig", "--nosignature")).toMatchObject({ exit: 0, err: "" })
    const bytes = readFileSync(file)
    for (const part of [0.4, 0.7, 0.99]) {
      const place = Math.floor(bytes.length * part)
      bytes[place] = (bytes[place] ?? 0) ^ 1
      writeFileSync(file, bytes)
      expect([part, rpm("--checksig", "--nosignature").exit]).not.toEqual([part, 0])
      bytes[place] = (bytes[place] ?? 0) ^ 1
    }
    writeFileSync(file, bytes)
  })

  test("lists each file with owner and mode, the unit as a configuration file that stays, and scripts that remove nothing", () => {
    const format = "[%{FILENAMES} %{FILEMODES:perms} %{FILEUSERNAME} %{FILEFLAGS:fflags}\\n]"
    const listed = rpm("--query", "--queryformat", format, "--package").out
    expect(listed.split("\n")).toEqual(
      expect.arrayContaining([
        `/${UNIT} -rw-r--r-- root cn`,
        `${PROGRAM} -rwxr-xr-x root `,
        "/etc/bizauth drwxr-xr-x root ",
        "/var/lib/bizauth drwx------ bizauth ",
      ]),
    )
    const scripts = rpm("--query", "--scripts", "--package").out
    for (const name of ["preinstall", "postinstall", "preuninstall", "postuninstall"]) expect(scripts).toContain(name)
    expect(scripts).not.toMatch(/\brm\b|userdel/)
  })

  test("unpacks the program", () => {
    const unpack = `rpm2cpio "$0" | cpio --quiet -i --to-stdout ".${PROGRAM}"`
    expect(Bun.spawnSync(["sh", "-c", unpack, file]).stdout.toString()).toBe("#!/bin/sh\necho 1.0.0\n")
  })
})

describe.skipIf(NOT_INSTALLED !== null)(`rpm installs the package${because(NOT_INSTALLED)}`, () => {
  const fresh = freshDirectory()
  const at = (...names: string[]) => join(fresh.path, ...names)
  let machine: BareMachine
  beforeAll(async () => {
    machine = await startMachine(fresh.path, { system: "changed" })
    for (const version of ["1.0.0", "1.1.0"]) writeFileSync(at("root", `${version}.rpm`), packageOf(version))
  })
  afterAll(async () => {
    await machine?.stop()
    fresh[Symbol.dispose]()
  })

  test("with the program, the unit, the user and a folder that only the user reads", () => {
    expect(machine.run(`rpm --install ${FORCED} 1.0.0.rpm`)).toMatchObject({ exit: 0 })
    expect(machine.run("bizauth").out).toBe("1.0.0\n")
    expect(readFileSync(at(UNIT), "utf8")).toContain("ExecStart=/usr/bin/bizauth serve")
    const user = /^bizauth:[^:]*:(\d+):/m.exec(readFileSync(at("etc/passwd"), "utf8"))?.[1]
    const { uid, mode } = statSync(at("var/lib/bizauth"))
    expect([uid, mode & 0o777]).toEqual([Number(user), 0o700])
    expect(machine.run("rpm --verify --nodeps bizauth")).toMatchObject({ exit: 0, out: "" })
  })

  test("an upgrade keeps a changed unit and the data", () => {
    appendFileSync(at(UNIT), "# ours\n")
    writeFileSync(at("var/lib/bizauth/data"), "an answer")
    expect(machine.run(`rpm --upgrade ${FORCED} 1.1.0.rpm`)).toMatchObject({ exit: 0 })
    expect(machine.run("bizauth").out).toBe("1.1.0\n")
    expect(readFileSync(at(UNIT), "utf8")).toContain("# ours\n")
    expect(existsSync(at("var/lib/bizauth/data"))).toBe(true)
  })

  test("a removal keeps the data, and the changed unit under another name", () => {
    expect(machine.run("rpm --erase --nodeps bizauth").exit).toBe(0)
    expect(machine.run("command -v bizauth").exit).not.toBe(0)
    expect([existsSync(at(UNIT)), existsSync(at(`${UNIT}.rpmsave`))]).toEqual([false, true])
    expect(readFileSync(at("var/lib/bizauth/data"), "utf8")).toBe("an answer")
  })
})
