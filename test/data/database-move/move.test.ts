/** A move of the database to a server and back keeps every row, and at every moment exactly one of the two databases can be served from. */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { obligationKey } from "../../../src/checks/obligation.ts"
import { command as moveCommand } from "../../../src/cli/database/move.ts"
import { command as verifyCommand } from "../../../src/cli/database/verify.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { type DataPaths, dataPaths } from "../../../src/data/data-paths.ts"
import { MOVE_STEPS } from "../../../src/data/database-move/move-steps.ts"
import { indexedKey } from "../../../src/store/indexed-key.ts"
import { readTreeHead } from "../../../src/store/log/transparency-log.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { filledDirectory } from "../../fixtures/filled-directory.ts"
import { howMany, sample } from "../../fixtures/long.ts"
import { longText } from "../../fixtures/long-texts.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand, runWatched } from "../../fixtures/terminal.ts"
import { databaseAt } from "../../fixtures/test-database.ts"
import {
  configured,
  type EmptyServer,
  emptyServer,
  killedMove,
  moveTo,
  openedAsConfigured,
  reportOf,
} from "./move-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)

const ANSWERS = 120
const LONG_KEY = obligationKey(longText(512))
const REFERENCE = "7".repeat(32)
const root = freshDirectory()
const servers: EmptyServer[] = []
let serial = 0
let filled: DataPaths

/** A directory with the rows of the filled one. */
function copyOfFilled(): DataPaths {
  const directory = join(root.path, `copy-${++serial}`)
  cpSync(filled.directory, directory, { recursive: true })
  return dataPaths(directory)
}

async function newServer(): Promise<EmptyServer> {
  const server = await emptyServer(root.path, `database-${++serial}.url`)
  servers.push(server)
  return server
}

const run = (...args: string[]) => runCommand(moveCommand, args)

describe.skipIf(!HAS_POSTGRES)(`a move of the database${NOT_RUN}`, () => {
  beforeAll(async () => {
    filled = await filledDirectory(join(root.path), ANSWERS)
    const database = new Database(filled.database, { strict: true })
    // Values at the edges of what the engines store.
    database.run("INSERT INTO meta (name, value) VALUES ('edge', ?1)", [`\\"{}\n\u{feff}\u{1f600}${"'".repeat(3)}`])
    database.run(
      `INSERT INTO register_answer (id, source_url, status, body, retrieved_at, raw_sha256)
         VALUES (9007199254740993, 'https://a', 200, x'', 'x', 'y'), (9007199254740995, 'https://b', 200, x'005c22ff', 'x', 'y')`,
    )
    database.run("INSERT INTO used_nonce (scope, nonce, expires_at) VALUES ('z', 'later', 'x'), ('a', 'newest', 'x')")
    // An index of the server has no room for the whole key.
    database.run(
      "UPDATE answer_record SET obligation_key = ?1, whole_obligation_key = ?2 WHERE request_id = (SELECT min(request_id) FROM answer_record)",
      [indexedKey(LONG_KEY), LONG_KEY],
    )
    database.close()
  })
  afterAll(async () => {
    for (const server of servers) await server.drop()
    root[Symbol.dispose]()
  })

  test("to a server and back keeps every row and number, and writes the configuration", async () => {
    const paths = copyOfFilled()
    const text = readFileSync(paths.configuration, "utf8")
    const before = statSync(paths.configuration).mode
    const server = await newServer()
    // `restore --before-upgrade` must not find it after the way back.
    writeFileSync(`${paths.database}.before-0040`, "an earlier copy")
    const there = await moveTo(paths, server.file)
    expect(readFileSync(join(paths.directory, `${there.kept}.before-0040`), "utf8")).toBe("an earlier copy")
    expect(existsSync(`${paths.database}.before-0040`)).toBe(false)
    expect(there.tables.find(({ table }) => table === "delivery")?.rows).toBeGreaterThan(ANSWERS / 2)
    expect(there.tables.filter(({ rows }) => rows > 0).length).toBeGreaterThan(75)
    expect(configured(paths)).toBe(server.file)
    expect(readFileSync(paths.configuration, "utf8").replace(/^database_file.*$/m, '# database_file = ""')).toBe(text)
    expect(statSync(paths.configuration).mode).toBe(before)
    expect([existsSync(paths.database), existsSync(join(paths.directory, there.kept ?? ""))]).toEqual([false, true])
    await using database = disposing(server.url)
    // The next row gets the number after the last one.
    const last = await database.row<{ n: number }>("SELECT max(id) AS n FROM payment_event")
    await database.write(
      "INSERT INTO payment_event (attempt_id, at, to_state, detail) SELECT attempt_id, at, to_state, detail FROM payment_event LIMIT 1",
    )
    const next = await database.row<{ n: number }>("SELECT max(id) AS n FROM payment_event")
    expect(next?.n).toBe((last?.n ?? 0) + 1)
    await database.write("DELETE FROM payment_event WHERE id = ?1", next?.n ?? 0)
    // The order of insertion.
    const nonces = await database.rows<{ nonce: string }>("SELECT nonce FROM used_nonce ORDER BY rowid DESC LIMIT 2")
    expect(nonces.map(({ nonce }) => nonce)).toEqual(["newest", "later"])
    const back = await moveTo(paths, null)
    expect(back.tables).toEqual(there.tables)
    expect(configured(paths)).toBeNull()
    expect(readFileSync(paths.configuration, "utf8")).toBe(text)
    await openedAsConfigured(paths, async ({ environment }) => expect(environment).toBe("test"))
  })

  test.each(["runs", "stands still"])(
    "is refused while a process that %s has the file open, and names it",
    async (how) => {
      const paths = copyOfFilled()
      const server = await newServer()
      const holder = Bun.spawn(
        [
          process.execPath,
          "-e",
          `const { openDatabase } = await import("${join(import.meta.dir, "../../../db/open.ts")}")
         openDatabase("${paths.database}"); console.log("open"); await Bun.sleep(100_000)`,
        ],
        { stdout: "pipe" },
      )
      await holder.stdout.getReader().read()
      if (how === "stands still") holder.kill("SIGSTOP")
      const ran = await run("--to", server.file, "--data", paths.directory)
      expect(ran).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining(`process ${holder.pid} has`) })
      holder.kill("SIGKILL")
      await holder.exited
      expect((await run("--to", server.file, "--data", paths.directory)).exit).toBe(EXIT.DONE)
    },
  )

  test("is refused into a database that is not empty, and changes nothing", async () => {
    const paths = copyOfFilled()
    const server = await newServer()
    {
      await using database = disposing(server.url)
      await database.write("CREATE TABLE other (id bigint)")
    }
    const before = readdirSync(paths.directory).toSorted()
    const ran = await run("--to", server.file, "--data", paths.directory)
    expect(ran).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("is not empty. Nothing was changed") })
    expect(readdirSync(paths.directory).toSorted()).toEqual(before)
    expect(configured(paths)).toBeNull()
    await openedAsConfigured(paths, async () => {})
    // The tables of this program are not an empty database either.
    const other = await newServer()
    const { paths: another } = await createDataDirectory(join(root.path, `other-${++serial}`), "test", realMachine, {
      databaseFile: other.file,
    })
    expect((await run("--to", other.file, "--data", paths.directory)).err).toContain("is not empty")
    await openedAsConfigured(another, async () => {})
  })

  test("of a text with U+0000, or that is not UTF-8, is refused and names the row", async () => {
    for (const [value, what] of [
      ["x'610062'", "U+0000"],
      ["x'61ff'", "bytes that are not UTF-8"],
    ]) {
      const paths = copyOfFilled()
      const server = await newServer()
      const database = new Database(paths.database)
      database.run(`INSERT INTO invitation (reference, created_at) VALUES ('${REFERENCE}', CAST(${value} AS TEXT))`)
      database.close()
      const ran = await run("--to", server.file, "--data", paths.directory)
      expect(ran.exit).toBe(EXIT.INVALID)
      expect(ran.err).toContain(`table invitation with reference "${REFERENCE}" has ${what} in created_at`)
      await openedAsConfigured(paths, async () => {})
    }
  })

  test("is refused for a place that the configuration file does not decide", async () => {
    const paths = copyOfFilled()
    const server = await newServer()
    const given = ["--to", server.file, "--data", paths.directory]
    const named = await runCommand(moveCommand, given, { BIZAUTH_DATABASE_FILE: server.file })
    expect(named).toMatchObject({ exit: EXIT.USAGE, err: expect.stringContaining("BIZAUTH_DATABASE_FILE") })
    expect(await run("--to-directory", "--data", paths.directory)).toMatchObject({ exit: EXIT.USAGE })
    expect(await run("--data", paths.directory)).toMatchObject({ exit: EXIT.USAGE })
    const missing = await run("--to", server.file, "--data", join(root.path, "nowhere"))
    expect(missing).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("does not exist; make it with") })
    writeFileSync(paths.configuration, '"database_file" = ""\n')
    expect(await run(...given)).toMatchObject({ exit: EXIT.CONFIG, err: expect.stringContaining("on one line") })
    expect(existsSync(paths.database)).toBe(true)
  })

  test("of a row that breaks a rule of the schema is refused", async () => {
    const paths = copyOfFilled()
    const server = await newServer()
    const database = new Database(paths.database)
    database.run("PRAGMA foreign_keys = OFF")
    database.run("UPDATE service_identity SET agent_id = 'nobody' WHERE use = 'log'")
    database.close()
    const ran = await run("--to", server.file, "--data", paths.directory)
    expect(ran).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("service_identity") })
    expect(configured(paths)).toBeNull()
  })

  test("is refused while a schema needs a migration", async () => {
    const paths = copyOfFilled()
    const server = await newServer()
    const database = new Database(paths.database)
    database.run("DELETE FROM schema_migration WHERE ordinal = (SELECT max(ordinal) FROM schema_migration)")
    database.close()
    const ran = await run("--to", server.file, "--data", paths.directory)
    expect(ran).toMatchObject({ exit: EXIT.DATA, err: expect.stringMatching(/needs migration .*: run bizauth serve/) })
  })

  test("reports its rows while it runs", async () => {
    const paths = copyOfFilled()
    const server = await newServer()
    const { exit, steps } = await runWatched(moveCommand, ["--to", server.file, "--data", paths.directory])
    expect(exit).toBe(EXIT.DONE)
    const copied = steps.find(({ what }) => what === "copying every table")
    expect(copied).toMatchObject({
      unit: "rows",
      total: reportOf(paths).tables.reduce((sum, { rows }) => sum + rows, 0),
    })
  })

  test("back that is killed after the new file came into use, and before it has its name, goes on", async () => {
    const paths = copyOfFilled()
    const server = await newServer()
    await moveTo(paths, server.file)
    expect(await killedMove(paths.directory, null, "IN_USE")).toBe("SIGKILL")
    const moving = new Database(`${paths.database}.moving`)
    moving.run("UPDATE meta SET name = 'moved_from' WHERE name = 'moved_to'")
    moving.close()
    expect((await run("--to-directory", "--data", paths.directory)).exit).toBe(EXIT.DONE)
    await openedAsConfigured(paths, async ({ environment }) => expect(environment).toBe("test"))
  })

  describe.each(["to a server", "back"] as const)("%s that is killed", (way) => {
    const decided = new Set(["IN_USE", "KEEP", "CONFIGURE"])
    const all = [...MOVE_STEPS.map((step) => [step, 0] as const), ["COPY", 5_000] as const]
    const taken = sample(all, 5)
    test.each(taken)(
      `before %s after %i rows leaves one whole database (${howMany(all.length, taken.length)} steps)`,
      async (step, rows) => {
        const paths = copyOfFilled()
        const first = await newServer()
        if (way === "back") await moveTo(paths, first.file)
        const to = way === "back" ? null : first.file
        const from = configured(paths)
        expect(await killedMove(paths.directory, to, step, rows)).toBe("SIGKILL")
        if (decided.has(step)) {
          // The earlier database is not served from any more, and the new one not before the move ends.
          expect(configured(paths)).toBe(from)
          await expect(openedAsConfigured(paths, async () => {})).rejects.toThrow(/bizauth database move .*again/)
          const ran = await run(...(to === null ? ["--to-directory"] : ["--to", to]), "--data", paths.directory)
          expect([ran.exit, ran.out]).toEqual([
            EXIT.DONE,
            expect.stringContaining("was interrupted, and now it is done"),
          ])
        } else {
          await openedAsConfigured(paths, async ({ store }) => {
            expect((await store.read(readTreeHead)).size).toBe(3)
          })
          expect(configured(paths)).toBe(from)
          const second = way === "back" ? null : await newServer()
          if (way === "to a server" && ["COPY", "COMPARE", "REPORT", "MARK"].includes(step)) {
            expect(await run("--to", first.file, "--data", paths.directory)).toMatchObject({ exit: EXIT.DATA })
          }
          await moveTo(paths, second === null ? null : second.file)
        }
        await openedAsConfigured(paths, async ({ environment }) => expect(environment).toBe("test"))
        const verified = await runCommand(verifyCommand, ["--data", paths.directory])
        expect([verified.exit, verified.out]).toEqual([EXIT.DONE, expect.stringContaining(": every table\n")])
      },
    )
  })
})

function disposing(url: string) {
  const database = databaseAt(url)
  return { ...database, [Symbol.asyncDispose]: () => database.close() }
}
