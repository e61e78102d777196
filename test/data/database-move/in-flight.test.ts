/** A move from a server has every row that was committed before the move held the tables, also one whose writer was at work when it began. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import { SQL } from "bun"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as moveCommand } from "../../../src/cli/database/move.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import type { DataPaths } from "../../../src/data/data-paths.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { databaseAt } from "../../fixtures/test-database.ts"
import { until } from "../../fixtures/until.ts"
import { configured, type EmptyServer, emptyServer } from "./move-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const REFERENCE = "7".repeat(32)
const root = freshDirectory()
const servers: EmptyServer[] = []
let watcher: SQL

async function onServer(): Promise<{ readonly paths: DataPaths; readonly server: EmptyServer }> {
  const server = await emptyServer(root.path, `database-${servers.length}.url`)
  servers.push(server)
  const directory = join(root.path, `data-${servers.length}`)
  const { paths } = await createDataDirectory(directory, "test", realMachine, { databaseFile: server.file })
  return { paths, server }
}

const back = ({ directory }: DataPaths) => runCommand(moveCommand, ["--to-directory", "--data", directory])

/** Moves while a transaction that wrote is open, and commits that one when the move waits for it. */
async function movedBeside(
  { paths, server }: Awaited<ReturnType<typeof onServer>>,
  write: (writer: { readonly unsafe: SQL["unsafe"] }) => Promise<unknown>,
) {
  const client = new SQL(server.url, { max: 1 })
  const writer = await client.reserve()
  await writer.unsafe("BEGIN")
  await write(writer)
  const moving = back(paths)
  await until("the move waits for the writer", async () => {
    // Other tests share the server.
    const [{ n }] = await watcher.unsafe(
      `SELECT count(*)::int AS n FROM pg_locks l JOIN pg_database d ON d.oid = l.database
       WHERE d.datname = $1 AND NOT l.granted AND l.relation IS NOT NULL`,
      [new URL(server.url).pathname.slice(1)],
    )
    return n > 0
  })
  await writer.unsafe("COMMIT")
  const ran = await moving
  writer.release()
  await client.close({ timeout: 0 })
  return ran
}

describe.skipIf(!HAS_POSTGRES)(`a move from a server beside a writer${NOT_RUN}`, () => {
  beforeAll(async () => {
    servers.push(await emptyServer(root.path, "watched.url"))
    watcher = new SQL(servers[0]?.url ?? "", { max: 1 })
  })
  afterAll(async () => {
    await watcher.close({ timeout: 0 })
    for (const server of servers) await server.drop()
    root[Symbol.dispose]()
  })

  test("that commits while the move waits for the tables takes its row along", async () => {
    const made = await onServer()
    const ran = await movedBeside(made, (writer) =>
      writer.unsafe("INSERT INTO invitation (reference, created_at) VALUES ($1, $2)", [
        REFERENCE,
        "2026-11-29T00:00:00.000Z",
      ]),
    )
    expect(ran).toMatchObject({ exit: EXIT.DONE, out: expect.stringContaining("equal") })
    const inFile = databaseAt(made.paths.database)
    expect(await inFile.count("invitation", "reference = ?1", REFERENCE)).toBe(1)
    await inFile.close()
  })

  test("whose capsule waits for its leaf is refused, and the next call takes it along", async () => {
    const made = await onServer()
    const ran = await movedBeside(made, (writer) =>
      writer.unsafe("INSERT INTO log_pending (kind, digest, request_id) VALUES ('CAPSULE', $1, 'drq_late')", [
        `sha256:${"1".repeat(64)}`,
      ]),
    )
    expect(ran).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("stop it and run this again") })
    expect(configured(made.paths)).not.toBeNull()
    expect((await back(made.paths)).exit).toBe(EXIT.DONE)
    const inFile = databaseAt(made.paths.database)
    expect(await inFile.count("log_leaf")).toBeGreaterThan(0)
    await inFile.close()
  })

  test("that makes a table while the move waits is refused", async () => {
    const made = await onServer()
    const ran = await movedBeside(made, async (writer) => {
      await writer.unsafe("INSERT INTO invitation (reference, created_at) VALUES ($1, 'x')", [REFERENCE])
      await writer.unsafe("CREATE TABLE another (id bigint)")
    })
    expect(ran).toMatchObject({ exit: EXIT.DATA, err: expect.stringContaining("tables") })
  })
})
