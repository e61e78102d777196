/** A move that was killed after its mark comes to its end, whatever was lost or dropped since: the marked database is whole. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { cpSync, existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as moveCommand } from "../../../src/cli/database/move.ts"
import { command as verifyCommand } from "../../../src/cli/database/verify.ts"
import { createDataDirectory, openDataDirectory } from "../../../src/data/data-directory.ts"
import { type DataPaths, dataPaths } from "../../../src/data/data-paths.ts"
import { reportPath } from "../../../src/data/database-move/move-report.ts"
import { readSizeRecord, writeSizeRecord } from "../../../src/data/log-size-record.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN, postgresUrl } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { configured, type EmptyServer, emptyServer, killedMove, moveTo, openedAsConfigured } from "./move-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const root = freshDirectory()
const servers: EmptyServer[] = []
let admin: SQL
let made: DataPaths

async function newServer(): Promise<EmptyServer> {
  const server = await emptyServer(root.path, `database-${servers.length}.url`)
  servers.push(server)
  return server
}

async function emptied({ url }: EmptyServer): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template0`)
}

interface Killed {
  readonly paths: DataPaths
  readonly server: EmptyServer
  again(server?: EmptyServer): ReturnType<typeof runCommand>
}

/** A move that was killed before this step. */
async function killedBefore(step: string, way: "there" | "back"): Promise<Killed> {
  const paths = dataPaths(join(root.path, `copy-${servers.length}`))
  cpSync(made.directory, paths.directory, { recursive: true })
  const server = await newServer()
  if (way === "back") await moveTo(paths, server.file)
  expect(await killedMove(paths.directory, way === "there" ? server.file : null, step)).toBe("SIGKILL")
  const again = ({ file } = server) =>
    runCommand(moveCommand, [...(way === "there" ? ["--to", file] : ["--to-directory"]), "--data", paths.directory])
  return { paths, server, again }
}

async function expectServed(paths: DataPaths, onServer: boolean): Promise<void> {
  expect(configured(paths) !== null).toBe(onServer)
  await openedAsConfigured(paths, async ({ environment }) => expect(environment).toBe("test"))
  const verified = await runCommand(verifyCommand, ["--data", paths.directory])
  expect([verified.exit, verified.out]).toEqual([EXIT.DONE, expect.stringContaining(": every table\n")])
}

describe.skipIf(!HAS_POSTGRES)(`a move that was killed after its mark${NOT_RUN}`, () => {
  beforeAll(async () => {
    admin = new SQL(await postgresUrl(), { max: 1 })
    made = (await createDataDirectory(join(root.path, "made"), "test", realMachine)).paths
  })
  afterAll(async () => {
    for (const server of servers) await server.drop()
    await admin.close({ timeout: 0 })
    root[Symbol.dispose]()
  })

  test("names the way out first, and goes on after the new database was dropped and made again", async () => {
    const { paths, server, again } = await killedBefore("IN_USE", "there")
    const other = dataPaths(join(root.path, "opens-the-new-one"))
    cpSync(paths.directory, other.directory, { recursive: true })
    rmSync(other.database)
    const opening = openDataDirectory(other.directory, {
      ...{ machine: realMachine, migrate: true, databaseFile: server.file },
      onFatal: () => {},
    })
    await expect(opening).rejects.toThrow(
      /run the same bizauth database move again with this database\. Drop it only if .* can still be served/,
    )
    await emptied(server)
    expect(await again()).toMatchObject({ exit: EXIT.DONE, out: expect.stringContaining("was interrupted") })
    await expectServed(paths, true)
  })

  test("goes on after the file that it filled was lost", async () => {
    const { paths, again } = await killedBefore("IN_USE", "back")
    rmSync(`${paths.database}.moving`)
    expect((await again()).exit).toBe(EXIT.DONE)
    await expectServed(paths, false)
  })

  test.each([
    ["IN_USE", "there"],
    ["KEEP", "there"],
    ["CONFIGURE", "there"],
    ["IN_USE", "back"],
    ["KEEP", "back"],
    ["CONFIGURE", "back"],
  ] as const)("before %s on the way %s goes on without its report", async (step, way) => {
    const { paths, again } = await killedBefore(step, way)
    rmSync(reportPath(paths.directory))
    expect(await again()).toMatchObject({ exit: EXIT.DONE, err: "" })
    expect(existsSync(reportPath(paths.directory))).toBe(true)
    await expectServed(paths, way === "there")
  })

  test("that is killed again while it copies anew goes on", async () => {
    for (const way of ["there", "back"] as const) {
      const { paths, server, again } = await killedBefore("IN_USE", way)
      if (way === "there") await emptied(server)
      else rmSync(`${paths.database}.moving`)
      for (const step of ["COMPARE", "REPORT"]) {
        expect(await killedMove(paths.directory, way === "there" ? server.file : null, step)).toBe("SIGKILL")
      }
      expect(await again()).toMatchObject({ exit: EXIT.DONE, err: "" })
      await expectServed(paths, way === "there")
    }
  })

  test("does not go on into another database, and names the right one", async () => {
    const { again } = await killedBefore("IN_USE", "there")
    const refused = await again(await newServer())
    expect(refused).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("under its name") })
    expect((await again()).exit).toBe(EXIT.DONE)
  })

  test("does not copy anew what the directory knows to be older", async () => {
    const { paths, server, again } = await killedBefore("IN_USE", "there")
    await emptied(server)
    const record = readSizeRecord(paths.directory)
    writeSizeRecord(paths.directory, {
      size: 1_000,
      rootHash: new Uint8Array(32),
      at: record?.at ?? "2026-11-29T00:00:00.000Z",
    })
    expect(await again()).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("an older copy") })
  })
})
