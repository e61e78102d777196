/** Every command that names a data directory does the same when a PostgreSQL server keeps its database, or refuses it by name. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../src/base/exit.ts"
import { commands } from "../../src/cli/commands.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN } from "../fixtures/postgres.ts"
import { newEmptyPostgresDatabase, type TestDatabase } from "../fixtures/postgres-schema.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { type Ran, runCommand } from "../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const directory = freshDirectory()
const at = (name: string) => join(directory.path, name)
const WHO = ["--reason", "a test", "--author", "operator-1"]
const CASE = [
  ...["--verification-method", "register", "--verification-reference", "case-1", "--verified-by", "operator-1"],
  ...["--verified-at", "2026-01-01T00:00:00Z", "--valid-until", "2036-01-01T00:00:00Z"],
]

/** The arguments of one run on both, in this order. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  check: ["--offline"],
  "install-unit": ["--credentials"],
  "config set": ["log_level", "info"],
  "config check": [],
  "config print": [],
  "keys list": [],
  "keys rotate": ["--use", "log"],
  "keys revoke": ["ed25519-kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"],
  "keys export": [],
  "sandbox run": ["PAYMENT_DECISION_HOLD"],
  "sandbox key": [],
  "identities confirm": ["svc:agent:nobody", ...WHO],
  "identities list": [],
  "buyers confirm": ["org:nobody", ...WHO],
  "buyers add": [
    ...["--organization", "org:example", "--legal-name", "Example Inc.", "--digest", `sha256:${"0".repeat(64)}`],
    ...["--mandate-key", at("mandate.key.pub"), "--tolerance", "HIGH", ...CASE],
  ],
  "buyers add-key": ["org:nobody", at("mandate.key.pub")],
  "buyers list": [],
  "buyers renew": ["org:example", ...CASE],
  "buyers revoke": ["org:nobody", "--reason", "a test"],
  "buyers supplier": [at("missing.json")],
  "buyers revoke-key": ["org:nobody", "key", "--since", "2026-01-01T00:00:00Z", "--reason", "a test"],
  "acp status": [],
  "acp jobs": [],
  "acp job": ["1"],
  "acp facts": ["1"],
  "acp pause": ["--why", "a test"],
  "acp resume": ["--why", "a test"],
  export: ["decision_none"],
  replay: [at("missing.json")],
  openapi: [],
  "sources import": ["US_OFAC_SDN", at("missing.csv")],
  "sources fetch": ["US_OFAC_SDN", "--sources-disabled", "US_OFAC_SDN"],
  "sources status": [],
  "sources history": [],
  "sources entry": ["US_OFAC_SDN:90001"],
  "sources rollback": ["US_OFAC_SDN"],
  "sources export": ["US_OFAC_SDN", "--out", at("exported")],
  "sources verify": ["US_OFAC_SDN"],
  company: ["12345678"],
  screen: ["Nobody"],
  "screening changes": ["--since", "2026-01-01"],
  "screening bench": [at("missing.csv")],
  rehearse: [at("missing.json")],
  "suppressions add": [
    ...["--name", "Vostok Meridian LLC", "--type", "org", "--entry", "US_OFAC_SDN:90001", ...WHO],
    ...["--until", formatInstant(Date.now() + 30 * DAY).slice(0, 10)],
  ],
  "suppressions confirm": ["1", ...WHO],
  "suppressions list": [],
  "suppressions revoke": ["1", ...WHO],
  "review list": [],
  "review show": ["17"],
  "review export": [],
  "review add": ["R. Reviewer"],
  "review open": ["R. Reviewer", "--desk-listen", "127.0.0.1:8403"],
  "review revoke": ["R. Reviewer", "--reason", "a test"],
  "review redact": ["42"],
  "review try": ["dec_AAECAwQFBgcICQoLDA0ODw"],
  "sales status": [],
  "sales stop": ["--reason", "a test"],
  "sales start": ["--reason", "a test"],
  "sales window": ["mcp", "08:00", "18:00", "--reason", "a test"],
  "beacon report": [],
  "log audit": [],
  "log new-origin": ["--why", "a test", "--base-url", "https://other.example"],
  "log checkpoint": [],
  "answers list": [],
  "payments owed": [],
  instances: [],
  "mail test": ["to@example.com"],
}

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  backup: [at("backup.tar.zst")],
  restore: ["--before-upgrade"],
}

/** `test/scenarios/postgres` starts the first two. `test/data` tests the others, which do not the same on both. */
const ELSEWHERE = ["init", "serve", "keys replace-hmac", "database move", "database verify", "database restored"]

async function runOn(name: string, data: string, given: readonly string[]): Promise<Ran> {
  const load = commands[name]
  if (!load) throw new Error(`no command ${name}`)
  return runCommand((await load()).command, [...given, "--data", at(data)])
}

describe.skipIf(!HAS_POSTGRES)(`a command${NOT_RUN}`, () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newEmptyPostgresDatabase()
    writeFileSync(at("database.url"), database.url, { mode: 0o600 })
    await runCommand((await import("../../src/cli/buyers/keygen.ts")).command, ["--out", at("mandate.key")])
    const inFile = await runOn("init", "file", ["--environment", "test"])
    const onServer = await runOn("init", "server", [
      ...["--environment", "test", "--database-file", at("database.url")],
    ])
    expect([inFile.exit, onServer.exit]).toEqual([EXIT.DONE, EXIT.DONE])
  })
  afterAll(async () => {
    await database.drop()
    directory[Symbol.dispose]()
  })

  test("that names a data directory is in one of the lists", async () => {
    const loaded = await Promise.all(Object.values(commands).map((load) => load()))
    const named = loaded.filter(({ command }) => "data" in command.flags).map(({ command }) => command.name)
    expect(named.toSorted()).toEqual([...Object.keys(SAME), ...Object.keys(REFUSED), ...ELSEWHERE].toSorted())
  })

  test.each(Object.entries(SAME))("%s ends as on a file", async (name, given) => {
    const inFile = await runOn(name, "file", given)
    const onServer = await runOn(name, "server", given)
    expect([onServer.exit, onServer.err.replaceAll(at("server"), at("file"))]).toEqual([inFile.exit, inFile.err])
  })

  test("upgrade check says on both that this release opens the database and changes nothing", async () => {
    const { command } = await import("../../src/cli/upgrade/check.ts")
    const [inFile, onServer] = [await runCommand(command, [at("file")]), await runCommand(command, [at("server")])]
    const name = / opens (the database \S+ of PostgreSQL at \S+);/.exec(onServer.out)?.[1] ?? "not named"
    expect([inFile.exit, inFile.out]).toEqual([EXIT.DONE, expect.stringContaining(" opens it; ")])
    expect([onServer.exit, onServer.out.replace(name, "it")]).toEqual([EXIT.DONE, inFile.out])
    expect(onServer.out).toContain("changes  nothing")
  })

  test.each(Object.entries(REFUSED))("%s is refused by name", async (name, given) => {
    const { exit, err } = await runOn(name, "server", given)
    expect([exit, err]).toEqual([EXIT.USAGE, expect.stringContaining("PostgreSQL's own backup")])
  })
})
