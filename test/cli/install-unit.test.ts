/** The printed unit: what it runs, how hard it is, and that the program reads its secret files as systemd gives them. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../src/base/exit.ts"
import { readSecretFile, SecretFileError } from "../../src/base/secret-file.ts"
import { command as installUnit } from "../../src/cli/install-unit.ts"
import { unitFile } from "../../src/cli/unit-file.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { runCommand } from "../fixtures/terminal.ts"

setDefaultTimeout(60_000)

const PARTS = {
  program: "/usr/local/bin/bizauth",
  user: "bizauth",
  data: "/var/lib/bizauth",
  config: null,
  written: ["/var/backups/bizauth"],
  credentials: [{ setting: "relayer_key_file", path: "/etc/bizauth/relayer.key" }],
}
const lines = unitFile(PARTS).split("\n")
const valuesOf = (name: string) =>
  lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1))

test("checks the configuration before each start, never the lists, and cannot be reloaded", () => {
  expect(valuesOf("ExecStartPre")).toEqual(["/usr/local/bin/bizauth config check"])
  expect(valuesOf("ExecStart")).toEqual(["/usr/local/bin/bizauth serve"])
  expect(valuesOf("ExecReload")).toEqual([])
  expect(valuesOf("MemoryDenyWriteExecute")).toEqual([])
  expect(valuesOf("LimitCORE")).toEqual(["0"])
})

test("gives the secret files to the service as credentials, and the folders that it writes", () => {
  expect(valuesOf("LoadCredential")).toEqual(["relayer_key_file:/etc/bizauth/relayer.key"])
  expect(valuesOf("Environment")).toEqual([
    "BIZAUTH_DATA=/var/lib/bizauth",
    "BIZAUTH_RELAYER_KEY_FILE=%d/relayer_key_file",
  ])
  expect(valuesOf("ReadWritePaths")).toEqual(["/var/lib/bizauth /var/backups/bizauth"])
})

const analyze = Bun.which("systemd-analyze")
const scored = "systemd-analyze scores it at most 1.5"
test.skipIf(analyze === null)(analyze === null ? `NOT RUN: ${scored}: no systemd-analyze here` : scored, () => {
  using folder = freshDirectory()
  const path = join(folder.path, "bizauth.service")
  writeFileSync(path, unitFile(PARTS))
  const ran = Bun.spawnSync([analyze ?? "", "security", "--offline=true", "--no-pager", path], {
    stdout: "pipe",
    stderr: "pipe",
  })
  const score = /Overall exposure level for bizauth\.service: (\d+\.\d)/.exec(ran.stdout.toString())?.[1]
  expect(Number(score)).toBeLessThanOrEqual(1.5)
  expect(ran.stderr.toString()).not.toContain("Unknown")
})

test("a credential may be readable by its group, because systemd shows its access list so; another file may not", () => {
  using folder = freshDirectory()
  const credentials = join(folder.path, "credentials")
  mkdirSync(credentials)
  const secret = join(credentials, "relayer_key_file")
  writeFileSync(secret, "0x1", { mode: 0o440 })
  expect(() => readSecretFile(secret)).toThrow(SecretFileError)
  process.env["CREDENTIALS_DIRECTORY"] = credentials
  try {
    expect(readSecretFile(secret).toString()).toBe("0x1")
    const other = join(folder.path, "other")
    writeFileSync(other, "0x1", { mode: 0o440 })
    expect(() => readSecretFile(other)).toThrow("open to other users")
    const open = join(credentials, "open")
    writeFileSync(open, "0x1", { mode: 0o444 })
    expect(() => readSecretFile(open)).toThrow("open to other users")
  } finally {
    delete process.env["CREDENTIALS_DIRECTORY"]
  }
})

test("the command prints the unit on standard output alone, and refuses what a unit file would split or expand", async () => {
  const ran = await runCommand(installUnit, ["--data", "/var/lib/bizauth", "--user", "pay"])
  expect(ran.exit).toBe(EXIT.DONE)
  expect(ran.out).toContain("User=pay\n")
  expect(ran.err).toContain("systemctl enable --now bizauth")
  for (const args of [
    ["--data", "/var/lib/a b"],
    ["--data", "/x", "--user", "Root!"],
    ["--data", "/x%n"],
  ]) {
    expect((await runCommand(installUnit, args)).exit).toBe(EXIT.USAGE)
  }
})

test("a unit may write the folders of sockets and access log that it does not make, and what the unit would hide is refused", async () => {
  const ran = (listen: string, ...more: string[]) =>
    runCommand(installUnit, ["--data", "/var/lib/bizauth", "--admin-listen", listen, ...more])
  using folder = freshDirectory()
  const config = join(folder.path, "bizauth.toml")
  writeFileSync(config, "")
  const at = async (listen: string) => /^ReadWritePaths=(.*)$/m.exec((await ran(listen, "--config", config)).out)?.[1]
  expect(await at("unix:/srv/sockets/admin.sock")).toBe("/var/lib/bizauth /srv/sockets")
  expect(await at("unix:/run/bizauth/admin.sock")).toBe("/var/lib/bizauth")
  expect(await at("127.0.0.1:9402")).toBe("/var/lib/bizauth")
  expect(readFileSync(config, "utf8")).toContain('admin_listen = "127.0.0.1:9402"')
  for (const hidden of ["/var/tmp/admin.sock", "unix:/run/user/1000/admin.sock"]) {
    const refused = await ran(hidden, "--config", config)
    expect([refused.exit, refused.err]).toEqual([
      EXIT.USAGE,
      expect.stringContaining("hides from the service; use /run/bizauth"),
    ])
  }
  const logged = async (path: string) => {
    const args = ["--data", "/var/lib/bizauth", "--access-log", path, "--config", config]
    const { exit, out } = await runCommand(installUnit, args)
    return exit === EXIT.DONE ? /^ReadWritePaths=(.*)$/m.exec(out)?.[1] : exit
  }
  expect(await logged("/var/log/bizauth/access.log")).toBe("/var/lib/bizauth")
  expect(await logged("/srv/logs/access.log")).toBe("/var/lib/bizauth /srv/logs")
  expect(await logged("/root/access.log")).toBe(EXIT.USAGE)
})

test("the socket for mail is a place that the service writes, and must be one that the mail server finds", async () => {
  using folder = freshDirectory()
  const config = join(folder.path, "bizauth.toml")
  writeFileSync(config, "")
  const ran = (socket: string) =>
    runCommand(installUnit, ["--data", "/var/lib/bizauth", "--config", config, "--mail-in-socket", socket])
  expect((await ran("/srv/mail/in.sock")).out).toContain("ReadWritePaths=/var/lib/bizauth /srv/mail\n")
  expect((await ran("/run/bizauth/mail.sock")).out).toContain("ReadWritePaths=/var/lib/bizauth\n")
  expect((await ran("/var/tmp/mail.sock")).exit).toBe(EXIT.USAGE)
})

test("what the unit hides from the service is named with the way out, but for secrets that systemd reads", async () => {
  using folder = freshDirectory()
  const config = join(folder.path, "bizauth.toml")
  const secret = ["--config", config, "--relayer-key-file", "/root/relayer.key"]
  const notes = async (...words: string[]) => {
    writeFileSync(config, "")
    const { out } = await runCommand(installUnit, [...words, "--json"])
    const named = (JSON.parse(out).notes as string[]).map((note) => note.split(" lies in ")[0])
    // The folder of the test is hidden too on most machines.
    return named.filter((path) => path !== config)
  }
  expect(await notes("--data", "/var/lib/bizauth")).toEqual([])
  expect(await notes("--data", "/root/data", ...secret)).toEqual(["/root/data", "/root/relayer.key"])
  expect(await notes("--data", "/root", "--credentials", ...secret)).toEqual(["/root"])
  const { err } = await runCommand(installUnit, ["--data", "/root/data"])
  expect(err).toContain("note: /root/data lies in /root, which the unit hides from the service: move it")
})

test("what variables set is written into the file that the unit names, and the printed command gives the same unit again", async () => {
  using folder = freshDirectory()
  const config = join(folder.path, "bizauth.toml")
  writeFileSync(config, "")
  const words = ["--data", "/var/lib/bizauth", "--user", "pay", "--credentials"]
  const flags = ["--sam-key-file", "/etc/bizauth/sam.key"]
  const first = await runCommand(installUnit, [...words, ...flags], {
    BIZAUTH_CONFIG: config,
    BIZAUTH_LOG_LEVEL: "debug",
  })
  expect(first.out).toContain(`Environment=BIZAUTH_CONFIG=${config}\n`)
  expect(first.err).toContain(`written into ${config}: sam_key_file, log_level\n`)
  expect(readFileSync(config, "utf8")).toContain('log_level = "debug"')
  const [, again = ""] = /^ {2}bizauth install-unit (.*) > /m.exec(first.err) ?? []
  expect((await runCommand(installUnit, again.split(" "))).out).toBe(first.out)
})
