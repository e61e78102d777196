/** A move hangs after its mark and goes on later. Until it ends, no other move of the directory begins. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as moveCommand } from "../../../src/cli/database/move.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { type DataPaths, dataPaths } from "../../../src/data/data-paths.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { configured, type EmptyServer, emptyServer, hangingMove, moveTo, openedAsConfigured } from "./move-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

type Way = "there" | "back"

const root = freshDirectory()
const servers: EmptyServer[] = []
let made: DataPaths

async function newServer(): Promise<string> {
  const server = await emptyServer(root.path, `database-${servers.length}.url`)
  servers.push(server)
  return server.file
}

/** A directory whose move has come to this step, and another process that moves it. */
async function hangingBefore(step: string, way: Way) {
  const paths = dataPaths(join(root.path, `copy-${servers.length}`))
  cpSync(made.directory, paths.directory, { recursive: true })
  const file = await newServer()
  if (way === "back") await moveTo(paths, file)
  const hanging = await hangingMove(paths.directory, way === "there" ? file : null, step)
  const place = way === "there" ? ["--to", file] : ["--to-directory"]
  return { paths, hanging, other: () => runCommand(moveCommand, [...place, "--data", paths.directory]) }
}

async function expectServed(paths: DataPaths, onServer: boolean): Promise<void> {
  expect(configured(paths) !== null).toBe(onServer)
  await openedAsConfigured(paths, async ({ environment }) => expect(environment).toBe("test"))
}

const CASES: readonly (readonly [string, Way])[] = [
  ["IN_USE", "there"],
  ["KEEP", "there"],
  ["CONFIGURE", "there"],
  ["IN_USE", "back"],
  ["KEEP", "back"],
  ["CONFIGURE", "back"],
]

describe.skipIf(!HAS_POSTGRES)(`a move that hangs after its mark${NOT_RUN}`, () => {
  beforeAll(async () => {
    made = (await createDataDirectory(join(root.path, "made"), "test", realMachine)).paths
  })
  afterAll(async () => {
    for (const server of servers) await server.drop()
    root[Symbol.dispose]()
  })

  test.each(CASES)("before %s on the way %s keeps every other move away until it ends", async (step, way) => {
    const { paths, hanging, other } = await hangingBefore(step, way)
    const refused = await other()
    expect(await hanging.resume()).toBe(0)
    expect(refused).toMatchObject({ exit: EXIT.DATA, out: "" })
    expect(refused.err).toContain(
      `process ${hanging.pid} moves the database of ${paths.directory} now: wait until it ends. If it hangs, end it`,
    )
    await expectServed(paths, way === "there")
    await moveTo(paths, way === "there" ? null : await newServer())
    await expectServed(paths, way === "back")
  })

  test("and is killed then lets the same command do the rest", async () => {
    const { paths, hanging, other } = await hangingBefore("KEEP", "there")
    expect((await other()).exit).toBe(EXIT.DATA)
    await hanging.kill()
    expect(await other()).toMatchObject({ exit: EXIT.DONE, out: expect.stringContaining("was interrupted") })
    await expectServed(paths, true)
  })
})
