/** Each line of `bizauth check` fails when its subject does, and the command changes nothing. */
import { Database } from "bun:sqlite"
import { afterEach, beforeEach, describe, expect, setDefaultTimeout } from "bun:test"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { migrations } from "../../../db/migrations.ts"
import { openDatabase } from "../../../db/open.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as check } from "../../../src/cli/check.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { DAY, formatInstant, HOUR, MINUTE, SECOND } from "../../../src/core/time.ts"
import { backupName } from "../../../src/data/backup/backup-folder.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { writeSizeRecord } from "../../../src/data/log-size-record.ts"
import type { Line } from "../../../src/data/self-check/line.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { overriding } from "../../fixtures/overriding.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

let folder: ReturnType<typeof freshDirectory>
let data: string
const FLAGS = ["--disk-free-min-mb", "0"]

beforeEach(async () => {
  folder = freshDirectory()
  data = join(folder.path, "data")
  await createDataDirectory(data, "test", realMachine, { logHost: "127.0.0.1:8402" })
})
afterEach(() => folder[Symbol.dispose]())

async function lines(...flags: string[]): Promise<{ exit: number; lines: readonly Line[] }> {
  const ran = await runCommand(check, ["--data", data, "--json", ...overriding(FLAGS, flags)])
  if (ran.err !== "") throw new Error(ran.err)
  return { exit: ran.exit, lines: JSON.parse(ran.out).lines }
}

/** State and text of one line. */
async function lineOf(area: string, name: string, ...flags: string[]): Promise<[Line["state"], string]> {
  const found = (await lines(...flags)).lines.find((line) => line.area === area && line.name === name)
  if (!found) throw new Error(`no line ${area} ${name}`)
  return [found.state, found.what]
}

function sql(text: string): void {
  const database = openDatabase(join(data, "bizauth.db"))
  database.run(text)
  database.close()
}

/** Name, mode, time and content of everything in the directory. */
function digest(): string {
  const hash = createHash("sha256")
  for (const name of (readdirSync(data, { recursive: true }) as string[]).sort()) {
    const found = statSync(join(data, name))
    hash.update(`${name} ${found.mode} ${found.mtimeMs} ${found.size}\n`)
    if (found.isFile()) hash.update(readFileSync(join(data, name)))
  }
  return hash.digest("hex")
}

async function importLists(publishedAt = Date.now()): Promise<void> {
  const lists = writeSampleLists(join(folder.path, "lists"), { publishedAt })
  for (const [id, path] of Object.entries(lists)) await runCommand(importSource, [id, path, "--data", data])
}

describe("a directory that is ready", () => {
  test("has no problem, exits with 0, and every other line says why and how to mend it", async () => {
    await importLists()
    rmSync(join(data, "keys", "recovery"), { recursive: true })
    const found = await lines("--offline")
    expect([found.exit, found.lines.filter(({ state }) => state === "PROBLEM")]).toEqual([EXIT.DONE, []])
    for (const { state, why, mend } of found.lines) {
      expect(why.length).toBeGreaterThan(10)
      expect(mend === null).toBe(state === "OK")
    }
  })

  test("is the same after the check, byte for byte, with and without a write-ahead log", async () => {
    await importLists()
    const before = digest()
    await lines("--offline")
    expect(digest()).toBe(before)
    const open = openDatabase(join(data, "bizauth.db"))
    open.run("UPDATE meta SET value = '2026-01-01T00:00:00Z' WHERE name = 'created_at'")
    // As a killed server leaves it: the log without its shared memory.
    const log = readFileSync(join(data, "bizauth.db-wal"))
    const main = readFileSync(join(data, "bizauth.db"))
    open.close()
    rmSync(join(data, "bizauth.db-shm"), { force: true })
    writeFileSync(join(data, "bizauth.db"), main, { mode: 0o600 })
    writeFileSync(join(data, "bizauth.db-wal"), log, { mode: 0o600 })
    const killed = digest()
    expect((await lineOf("machine", "disk", "--offline"))[1]).toContain("days at the average growth")
    expect(digest()).toBe(killed)
  })

  test("is printed for a person with problems in words", async () => {
    const { out, exit } = await runCommand(check, ["--data", data, "--offline"])
    expect(exit).toBe(EXIT.PROBLEMS)
    expect(out).toMatch(
      /^PROBLEM {2}lists US_OFAC_SDN: never imported.*\n {9}why {3}.*\n {9}mend {2}bizauth sources fetch/m,
    )
    expect(out).toMatch(/\n\d+ problems, \d+ notes, \d+ ok, \d+ not checked\n$/)
  })
})

describe("a line fails when its subject does:", () => {
  const rows: readonly [name: string, harm: () => unknown, line: [string, string], state: string, flags?: string[]][] =
    [
      [
        "a database that others may write",
        () => chmodSync(join(data, "bizauth.db"), 0o666),
        ["directory", "files"],
        "PROBLEM",
      ],
      [
        "a folder that others may read",
        () => chmodSync(join(data, "snapshots"), 0o755),
        ["directory", "files"],
        "PROBLEM",
      ],
      ["no database", () => rmSync(join(data, "bizauth.db")), ["directory", "files"], "PROBLEM"],
      [
        "a pending migration",
        () => sql(`DELETE FROM schema_migration WHERE ordinal = ${migrations.at(-1)?.ordinal}`),
        ["directory", "schema"],
        "NOTE",
      ],
      [
        "a newer database",
        () => sql("INSERT INTO schema_migration VALUES (9999, '9999_future', 'x', '2027-01-01T00:00:00Z')"),
        ["directory", "schema"],
        "PROBLEM",
      ],
      [
        "a damaged database",
        () => writeFileSync(join(data, "bizauth.db"), "x".repeat(8192)),
        ["directory", "schema"],
        "PROBLEM",
      ],
      [
        "a recent restore",
        () =>
          sql(
            `INSERT INTO meta VALUES ('restores', '[{"backup_at":"2026-01-01T00:00:00Z","restored_at":"2026-01-02T00:00:00Z","newest_declared_at":null}]')`,
          ),
        ["directory", "restore"],
        "NOTE",
      ],
      [
        "another quote key",
        () => writeFileSync(join(data, "keys", "quote-hmac.key"), new Uint8Array(32).fill(5)),
        ["keys", "hmac"],
        "PROBLEM",
      ],
      ["a missing key file", () => rmSync(join(data, "keys", "token-hmac.key")), ["keys", "files"], "PROBLEM"],
      ["a recovery key on this machine", () => {}, ["keys", "recovery"], "NOTE"],
      [
        "a key that ends soon",
        () =>
          sql(`UPDATE service_key SET expires_at = '${formatInstant(Date.now() + 10 * DAY)}' WHERE use = 'statement'`),
        ["keys", "statement"],
        "NOTE",
      ],
      [
        "a key that has ended",
        () => sql(`UPDATE service_key SET expires_at = '${formatInstant(Date.now() - DAY)}' WHERE use = 'log'`),
        ["keys", "log"],
        "PROBLEM",
      ],
      ["a list that was never imported", () => {}, ["lists", "US_TRADE_CSL"], "PROBLEM"],
      [
        "a list that is switched off",
        () => {},
        ["lists", "US_TRADE_CSL"],
        "NOTE",
        ["--sources-disabled", "US_TRADE_CSL"],
      ],
      ["an old list", () => importLists(Date.now() - 400 * DAY), ["lists", "US_TRADE_CSL"], "PROBLEM"],
      ["a rule between settings", () => {}, ["settings", "rules"], "PROBLEM", ["--payments", "live"]],
      ["a proxy without a name", () => {}, ["settings", "proxy"], "NOTE", ["--base-url", "https://svc.example"]],
      ["a log of another host", () => {}, ["log", "origin"], "NOTE", ["--base-url", "https://svc.example"]],
      [
        "an older database",
        () => writeSizeRecord(data, { size: 99, rootHash: new Uint8Array(32), at: "2026-01-01T00:00:00Z" }),
        ["log", "size"],
        "PROBLEM",
      ],
      ["a full disk", () => {}, ["machine", "disk"], "PROBLEM", ["--disk-free-min-mb", "1000000"]],
      ["no folder for backups", () => {}, ["backup", "age"], "NOTE"],
      ["no payments", () => {}, ["network", "payments"], "NOTE"],
    ]
  test.each(rows)("%s", async (_name, harm, [area, name], state, flags = []) => {
    await harm()
    expect((await lineOf(area, name, "--offline", ...flags))[0]).toBe(state as Line["state"])
  })

  test("a backup that is too old, or none, by the environment", async () => {
    const backups = join(folder.path, "backups")
    mkdirSync(backups)
    const flags = ["--offline", "--backup-dir", backups]
    expect(await lineOf("backup", "age", ...flags)).toEqual(["NOTE", `${backups} holds no backup`])
    writeFileSync(join(backups, backupName(Date.now() - HOUR)), "")
    expect((await lineOf("backup", "age", ...flags))[0]).toBe("OK")
    rmSync(backups, { recursive: true })
    mkdirSync(backups)
    writeFileSync(join(backups, backupName(Date.now() - 3 * DAY)), "")
    expect((await lineOf("backup", "age", ...flags))[0]).toBe("NOTE")
    sql("UPDATE meta SET value = 'live' WHERE name = 'environment'")
    expect((await lineOf("backup", "age", ...flags))[0]).toBe("PROBLEM")
  })

  test("payments: owed, lost, stuck, and a nonce that all later ones wait for", async () => {
    const old = formatInstant(Date.now() - 20 * MINUTE)
    const database = new Database(join(data, "bizauth.db"))
    database.run("PRAGMA foreign_keys = OFF")
    // Only the columns that the check reads need a true value.
    database.run("PRAGMA ignore_check_constraints = ON")
    for (const [id, state] of [
      ["a", "PAID_OWED"],
      ["b", "SETTLING"],
    ] as const) {
      const columns = database
        .query<{ name: string; notnull: number; type: string }, []>("PRAGMA table_info(payment_attempt)")
        .all()
      const given: Record<string, string | number> = {
        id,
        state,
        updated_at: old,
        created_at: old,
        request_id: id,
        nonce: id,
      }
      const needed = columns.filter(({ name, notnull }) => notnull === 1 || name in given)
      const values = needed.map(({ name, type }) => given[name] ?? (type === "INTEGER" ? 1 : old))
      database
        .query(
          `INSERT INTO payment_attempt (${needed.map(({ name }) => name).join()}) VALUES (${needed.map(() => "?").join()})`,
        )
        .run(...values)
    }
    database
      .query(
        "INSERT INTO relayer_nonce (relayer, nonce, attempt_id, state, created_at, updated_at) VALUES ('0x1', 7, NULL, 'STORED', ?1, ?1)",
      )
      .run(old)
    database.run("INSERT INTO lost_transfer VALUES (8453, '0xab', 3, '0x1', '40000', '0xcd', '2026-01-01T00:00:00Z')")
    database.close()
    const states = (await lines("--offline")).lines.filter(({ area }) => area === "payments")
    expect(states.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "owed PROBLEM",
      "lost NOTE",
      "stuck PROBLEM",
      "nonce PROBLEM",
      "former relayer OK",
    ])
    // The same nonce of an earlier key stops nothing, and the payment behind it is named.
    sql('INSERT INTO meta VALUES (\'settlement\', \'{"relayer":"0x2","payTo":"0x3"}\')')
    sql(`UPDATE payment_attempt SET valid_before = ${Math.floor(Date.now() / SECOND) + 60} WHERE id = 'b'`)
    sql("UPDATE relayer_nonce SET attempt_id = 'b'")
    sql(`INSERT INTO relayer_nonce VALUES ('0x1', 6, NULL, 'ALLOCATED', '${old}', '${old}')`)
    expect((await lineOf("payments", "nonce", "--offline"))[0]).toBe("OK")
    expect(await lineOf("payments", "former relayer", "--offline")).toEqual([
      "NOTE",
      "0x1: no transaction for nonce 6; 1 payments wait",
    ])
  })
})
