import { describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { run } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

async function initialised(path: string): Promise<string> {
  const data = join(path, "data")
  const made = await run(["init", "--data", data, "--environment", "test"])
  expect(made.exit).toBe(0)
  return data
}

function keyFile(data: string): string {
  const name = readdirSync(join(data, "keys")).find((file) => file.endsWith(".json"))
  if (!name) throw new Error("init made no key file")
  return join(data, "keys", name)
}

describe("a command that needs no data directory ends with its documented exit code and message", () => {
  const rows: readonly [args: string[], exit: number, message: RegExp][] = [
    [[], 0, /bizauth: verifiable authorization decisions[\s\S]*Exit codes/],
    [["help", "serve"], 0, /--shutdown-seconds VALUE/],
    [["serve", "--help"], 0, /usage: bizauth serve/],
    [
      ["version"],
      0,
      /^bizauth \d+\.\d+\.\d+ \(.+\)\nBun 1\.4\.4, SQLite 3\.\d+\.\d+, schema \d+\nrelease key none: .+\n$/,
    ],
    [["--version"], 0, /^bizauth \d/],
    [["servee"], 2, /unknown command "servee"; did you mean "serve"\?/],
    [["serve", "--lisen", "x"], 2, /unknown flag --lisen; did you mean --listen\?/],
    [["version", "extra"], 2, /FILE is for --verify; run bizauth version --verify FILE/],
    [["version", "--verify"], 2, /--verify needs the files to verify/],
    [["serve"], 2, /--data DIR is needed/],
    [["init", "--environment", "test"], 2, /--data DIR is needed/],
    [["init", "--data", "/nonexistent/x"], 2, /--environment is needed: test to try it out, live for real money/],
    [["init", "--data", "/nonexistent/x", "--environment", "live"], 2, /--base-url is needed with --environment live/],
    [
      ["init", "--data", "/nonexistent/x", "--environment", "live", "--base-url", "https://x.example/"],
      6,
      /base_url \(flag\) must be scheme:\/\/host\[:port\]/,
    ],
    [["init", "--data", "/nonexistent/x", "--environment", "prod"], 2, /--environment must be test or live/],
    [["keys", "list", "--data", "/nonexistent/x"], 7, /does not exist; make it with: bizauth init/],
    [["serve", "--data", "/nonexistent/x", "--listen", "127.0.0.1:0"], 7, /does not exist/],
    [
      ["config", "check", "--config", "/nonexistent/x.toml"],
      6,
      /cannot read the configuration file \/nonexistent\/x\.toml: there is no such file/,
    ],
    [["config", "check", "--listen", "nowhere"], 6, /listen \(flag\) must be HOST:PORT/],
    [["config", "check", "--settle-wait-ms", "5"], 6, /settle_wait_ms \(flag\) must be an integer from 100 to 120000/],
    [["config", "check"], 0, /configuration is right \(no file\)/],
    [["keys", "revoke"], 2, /usage: bizauth keys revoke KID/],
    [["init", "--data", "/nonexistent/x", "--data=/nonexistent/y"], 2, /--data is given twice; give it once/],
    [["config", "print", "--origin", "--json", "--origin"], 2, /--origin is given twice; give it once/],
    [["sources", "history", "--", "--help"], 2, /unknown source --help/],
  ]
  test.each(rows)("%p", async (args, exit, message) => {
    const ran = await run(args)
    expect(ran.exit).toBe(exit)
    expect(exit === 0 ? ran.out : ran.err).toMatch(message)
    expect(exit === 0 ? ran.err : ran.out).toBe("")
  })
})

test("version --json prints each fact and nothing else", async () => {
  const { out } = await run(["version", "--json"])
  expect(Object.keys(JSON.parse(out)).sort()).toEqual([
    "bun",
    "commit",
    "format",
    "release_key",
    "schema",
    "sqlite",
    "target",
    "version",
  ])
})

test("version works with an invalid configuration in the environment", async () => {
  expect((await run(["version"], { environment: { BIZAUTH_LISTNE: "x" } })).exit).toBe(0)
})

test("init makes everything readable by its owner only, and refuses to run twice", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  for (const path of [data, join(data, "keys"), join(data, "keys", "next"), join(data, "snapshots")])
    expect(statSync(path).mode & 0o777).toBe(0o700)
  const files = [
    keyFile(data),
    join(data, "keys", "quote-hmac.key"),
    join(data, "keys", "token-hmac.key"),
    join(data, "bizauth.db"),
    join(data, "bizauth.toml"),
  ]
  for (const path of files) expect(statSync(path).mode & 0o777).toBe(0o600)
  const before = readdirSync(join(data, "keys"), { recursive: true })
  const again = await run(["init", "--data", data, "--environment", "test"])
  expect(again.exit).toBe(7)
  expect(again.err).toContain("holds a bizauth.db already; nothing was changed")
  expect(readdirSync(join(data, "keys"), { recursive: true })).toEqual(before)
})

test("init prints the new key, its fingerprint and what to back up", async () => {
  using fresh = freshDirectory()
  const { out } = await run(["init", "--data", join(fresh.path, "data"), "--environment", "test"])
  expect(out).toMatch(/signing key {2}kid ed25519-[A-Za-z0-9_-]{43}\n\s+SHA-256 ([0-9a-f]{2}:){31}[0-9a-f]{2}\n/)
  expect(out).toContain("back up")
})

test("init accepts an empty directory and rejects a directory with other files", async () => {
  using fresh = freshDirectory()
  mkdirSync(join(fresh.path, "empty"))
  expect((await run(["init", "--data", join(fresh.path, "empty"), "--environment", "test"])).exit).toBe(0)
  mkdirSync(join(fresh.path, "used"))
  writeFileSync(join(fresh.path, "used", "thesis.txt"), "mine")
  const refused = await run(["init", "--data", join(fresh.path, "used"), "--environment", "test"])
  expect(refused.exit).toBe(7)
  expect(refused.err).toContain("is not empty")
})

describe("a data directory that could give wrong answers is rejected with exit 7", () => {
  const rows: readonly [name: string, harm: (data: string) => void, message: RegExp][] = [
    ["signing key readable by the group", (data) => chmodSync(keyFile(data), 0o640), /mode 0640.*chmod 600 .*\.json/],
    [
      "quote key readable by others",
      (data) => chmodSync(join(data, "keys", "quote-hmac.key"), 0o604),
      /mode 0604.*chmod 600 .*quote-hmac\.key/,
    ],
    ["quote key too short", (data) => writeFileSync(join(data, "keys", "quote-hmac.key"), "short"), /exactly 32 bytes/],
    ["quote key missing", (data) => rmSync(join(data, "keys", "quote-hmac.key")), /quote-hmac\.key is missing/],
    [
      "token key readable by others",
      (data) => chmodSync(join(data, "keys", "token-hmac.key"), 0o604),
      /mode 0604.*chmod 600 .*token-hmac\.key/,
    ],
    ["token key too short", (data) => writeFileSync(join(data, "keys", "token-hmac.key"), "short"), /exactly 32 bytes/],
    ["token key missing", (data) => rmSync(join(data, "keys", "token-hmac.key")), /token-hmac\.key is missing/],
    ["signing key missing", (data) => rmSync(keyFile(data)), /is missing: the database says this key signs/],
    [
      "key file the database does not know",
      (data) => writeFileSync(join(data, "keys", "ed25519-stray.json"), "{}", { mode: 0o600 }),
      /ed25519-stray\.json belongs to no key of the database/,
    ],
    ["key file that is not JSON", (data) => writeFileSync(keyFile(data), "{"), /is not JSON/],
    ["key file without a private key", (data) => writeFileSync(keyFile(data), "{}"), /is not an Ed25519 private JWK/],
    [
      "key file that holds another key",
      (data) => writeFileSync(keyFile(data), `{"d":"${Buffer.alloc(32, 7).toString("base64url")}"}`),
      /holds another key than its name says/,
    ],
    [
      "database missing",
      (data) => rmSync(join(data, "bizauth.db")),
      /bizauth\.db is missing, .* deleted or moved, or an init did not finish\. .* Otherwise put it back/,
    ],
  ]
  test.each(rows)("%s", async (_name, harm, message) => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    harm(data)
    for (const command of [
      ["keys", "list"],
      ["serve", "--listen", "127.0.0.1:0"],
    ]) {
      const ran = await run([...command, "--data", data])
      expect(ran.exit).toBe(7)
      expect(ran.err).toMatch(message)
      expect(ran.out).toBe("")
    }
  })
})

test("payments for another environment than the data directory's are rejected with exit 6", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const ran = await run(["serve", "--data", data, "--listen", "127.0.0.1:0", "--payments", "live"])
  expect(ran.exit).toBe(6)
  expect(ran.err).toContain("payments = live, but this data directory was made for test")
})

describe("settings", () => {
  test("flags override the environment, the environment overrides the file, and the file overrides defaults", async () => {
    using fresh = freshDirectory()
    const file = join(fresh.path, "c.toml")
    writeFileSync(file, 'issuer_name = "file"\nlisten = "127.0.0.1:1"\nlog_level = "warn"\n')
    const environment = { BIZAUTH_ISSUER_NAME: "environment", BIZAUTH_LISTEN: "127.0.0.1:2" }
    const args = ["config", "print", "--json", "--config", file, "--issuer-name", "flag"]
    const { settings, origins } = JSON.parse((await run(args, { environment })).out)
    expect([settings.issuer_name, origins.issuer_name]).toEqual(["flag", "flag"])
    expect([settings.listen, origins.listen]).toEqual(["127.0.0.1:2", "environment"])
    expect([settings.log_level, origins.log_level]).toEqual(["warn", "file"])
    expect([settings.payments, origins.payments]).toEqual(["off", "default"])
  })

  test("all errors are reported at once, unknown keys with their line and the closest name", async () => {
    using fresh = freshDirectory()
    const file = join(fresh.path, "c.toml")
    writeFileSync(file, '\nlisten = "127.0.0.1:1"\nlog_levle = "warn"\npayments = true\n[section]\nx = 1\n')
    const ran = await run(["config", "check", "--config", file], { environment: { BIZAUTH_ISUER_ID: "x" } })
    expect(ran.exit).toBe(6)
    expect(ran.err).toContain('unknown key "log_levle" in line 3 of the file; did you mean "log_level"?')
    expect(ran.err).toContain("payments in line 4 of the file must be a quoted text or a number")
    expect(ran.err).toContain('unknown key "section" in line 5 of the file')
    expect(ran.err).toContain("unknown variable BIZAUTH_ISUER_ID; did you mean BIZAUTH_ISSUER_ID?")
  })

  test("a file that is not TOML is rejected", async () => {
    using fresh = freshDirectory()
    const file = join(fresh.path, "c.toml")
    writeFileSync(file, "listen = = 3")
    const ran = await run(["config", "check", "--config", file])
    expect(ran.exit).toBe(6)
    expect(ran.err).toContain("is not TOML")
  })

  test("the file that init writes is valid as it is, and each commented line is valid when uncommented", async () => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    const path = join(data, "bizauth.toml")
    expect((await run(["config", "check", "--data", data])).out).toContain(path)
    const text = await Bun.file(path).text()
    writeFileSync(path, text.replace(/^# ([a-z_]+ = )/gm, "$1"))
    const ran = await run(["config", "print", "--origin", "--data", data])
    expect(ran.exit).toBe(0)
    expect(ran.out).not.toContain("# default")
  })
})
