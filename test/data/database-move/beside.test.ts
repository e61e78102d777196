/** A move leaves a directory that can be served: with its keys, its lists, its owner, and the newest state of the database. */
import { afterAll, describe, expect, setDefaultTimeout } from "bun:test"
import { chownSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as moveCommand } from "../../../src/cli/database/move.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import type { DataPaths } from "../../../src/data/data-paths.ts"
import { writeSizeRecord } from "../../../src/data/log-size-record.ts"
import { putMeta, removeMeta } from "../../../src/store/meta.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { databaseAt } from "../../fixtures/test-database.ts"
import { configured, type EmptyServer, emptyServer, killedMove, openedAsConfigured } from "./move-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const NOBODY = 65_534
const SNAPSHOT = `INSERT INTO source_snapshot (snapshot_id, source_id, source_url, source_version, retrieved_at, parser_version, raw_sha256,
    parties_sha256, counts, entries, files, findings, imported_at, state)
  VALUES ('snap_lost', 'US_OFAC_SDN', 'https://a.example', '1', '2026-11-29T00:00:00.000Z', '1', 'sha256:0', 'sha256:0', '{}', 0, '[]', '[]',
    '2026-11-29T00:00:00.000Z', 'ACTIVE')`
const root = freshDirectory()
const servers: EmptyServer[] = []

interface Made {
  readonly paths: DataPaths
  readonly server: EmptyServer
  there(): ReturnType<typeof runCommand>
  back(): ReturnType<typeof runCommand>
}

async function directory(onServer: boolean): Promise<Made> {
  const server = await emptyServer(root.path, `database-${servers.length}.url`)
  servers.push(server)
  const founding = onServer ? { databaseFile: server.file } : {}
  const folder = join(root.path, `data-${servers.length}`)
  const { paths } = await createDataDirectory(folder, "test", realMachine, founding)
  const run = (...args: string[]) => runCommand(moveCommand, [...args, "--data", paths.directory])
  return { paths, server, there: () => run("--to", server.file), back: () => run("--to-directory") }
}

describe.skipIf(!HAS_POSTGRES)(`a move of the database${NOT_RUN}`, () => {
  afterAll(async () => {
    for (const server of servers) await server.drop()
    root[Symbol.dispose]()
  })

  test("needs the key files of the database, and changes nothing without them", async () => {
    const { paths, there } = await directory(false)
    const token = readFileSync(paths.tokenKey)
    writeFileSync(paths.tokenKey, new Uint8Array(32).fill(5))
    expect(await there()).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("has the fingerprint") })
    rmSync(paths.tokenKey)
    expect(await there()).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining(`${paths.tokenKey}: missing`) })
    writeFileSync(paths.tokenKey, token, { mode: 0o600 })
    const signing = readdirSync(paths.keys).find((name) => name.endsWith(".json")) ?? ""
    const text = readFileSync(join(paths.keys, signing))
    rmSync(join(paths.keys, signing))
    expect(await there()).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining(`${signing}: missing`) })
    writeFileSync(join(paths.keys, signing), text, { mode: 0o600 })
    expect(configured(paths)).toBeNull()
    expect((await there()).exit).toBe(EXIT.DONE)
  })

  test.each([false, true])("of a state that may not be served is refused (on a server: %p)", async (onServer) => {
    const { paths, there, back } = await directory(onServer)
    const move = onServer ? back : there
    await openedAsConfigured(paths, ({ store }) => store.run(() => putMeta("log_shorter", '{"seen":9,"found":2}')))
    expect(await move()).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("cannot be served") })
    await openedAsConfigured(paths, ({ store }) => store.run(() => removeMeta("log_shorter")))
    writeSizeRecord(paths.directory, { size: 1_000, rootHash: new Uint8Array(32), at: "2026-11-29T00:00:00.000Z" })
    expect(await move()).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("this is an older copy") })
    writeSizeRecord(paths.directory, { size: 1, rootHash: new Uint8Array(32), at: "2026-11-29T00:00:00.000Z" })
    expect(await move()).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("this is another database") })
    rmSync(join(paths.directory, "log-size.json"))
    expect((await move()).exit).toBe(EXIT.DONE)
  })

  test("back names a list whose bytes are nowhere", async () => {
    const { paths, server, back } = await directory(true)
    const database = databaseAt(server.url)
    await database.write(SNAPSHOT)
    await database.close()
    const ran = await back()
    expect(ran).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("US_OFAC_SDN snap_lost (ACTIVE)") })
    expect(configured(paths)).toBe(server.file)
  })

  test.skipIf(process.geteuid?.() !== 0)("by root leaves its files to the owner of the directory", async () => {
    const { paths, back } = await directory(true)
    chownSync(paths.directory, NOBODY, NOBODY)
    expect((await back()).exit).toBe(EXIT.DONE)
    for (const name of ["bizauth.db", "database-move.json"]) {
      expect([name, statSync(join(paths.directory, name)).uid]).toEqual([name, NOBODY])
    }
  })

  test("removes what a killed one left of the configuration", async () => {
    const { paths, server, there } = await directory(false)
    expect(await killedMove(paths.directory, server.file, "CONFIGURE")).toBe("SIGKILL")
    writeFileSync(`${paths.configuration}.partial-4242`, "")
    expect((await there()).exit).toBe(EXIT.DONE)
    expect(readdirSync(paths.directory).filter((name) => name.includes(".partial-"))).toEqual([])
  })
})
