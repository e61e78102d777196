/** `bizauth instances` lists who serves a database. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { INSTANCE_ALIVE_MS } from "../../db/instance-alive.ts"
import { VERSION } from "../../src/base/build-facts.ts"
import { realMachine } from "../../src/base/machine.ts"
import { command } from "../../src/cli/instances.ts"
import { formatInstant, SECOND } from "../../src/core/time.ts"
import { OwnInstance } from "../../src/data/own-instance.ts"
import { recordAnswered } from "../../src/store/sources/instance-snapshots.ts"
import { directoryForEach } from "../fixtures/new-data-directory.ts"
import { testServiceOn } from "../fixtures/service.ts"
import { runCommand } from "../fixtures/terminal.ts"

setDefaultTimeout(60_000)

const directory = directoryForEach()

async function listed(): Promise<Record<string, unknown>[]> {
  const ran = await runCommand(command, ["--json", "--data", directory().path])
  expect([ran.exit, ran.err]).toEqual([0, ""])
  return JSON.parse(ran.out).instances
}

test("the processes that serve are listed until they stop; one that is silent is not alive", async () => {
  const text = async () => (await runCommand(command, ["--data", directory().path])).out
  expect(await text()).toBe("no process serves this database\n")
  const { databaseFile } = directory()
  const settings = databaseFile === null ? {} : { database_file: databaseFile }
  const { service } = await testServiceOn(directory().path, realMachine, settings)
  await service.readiness.run()
  const opened = await directory().database.open()
  const other = new OwnInstance({ engine: opened.engine, machine: realMachine })
  await other.beat()
  const [one, two] = await listed()
  expect([one, two].map((row) => row?.["instance_id"])).toEqual([service.instance.id, other.id])
  expect(one).toEqual({
    instance_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    host: (await import("node:os")).hostname(),
    pid: process.pid,
    release: VERSION,
    since: expect.stringMatching(/^20\d\d-.*Z$/),
    last_seen: one?.["since"],
    alive: true,
    lists: [],
  })
  await Bun.sleep(5)
  await service.readiness.run()
  const [later] = await listed()
  expect(String(later?.["last_seen"]) > String(one?.["last_seen"])).toBe(true)
  expect(later?.["since"]).toBe(one?.["since"] as string)
  const silent = async (ms: number) => {
    await directory().database.write(
      "UPDATE instance SET seen_at = ?1 WHERE instance_id = ?2",
      formatInstant(Date.now() - ms),
      other.id,
    )
    return (await listed()).map(({ alive }) => alive)
  }
  expect(await silent(INSTANCE_ALIVE_MS - 5 * SECOND)).toEqual([true, true])
  expect(await silent(INSTANCE_ALIVE_MS + SECOND)).toEqual([true, false])
  expect(await silent(-INSTANCE_ALIVE_MS - SECOND)).toEqual([true, false])
  const [head, row] = (await text()).split("\n")
  expect(head).toMatch(/^INSTANCE +HOST +PID +RELEASE +SINCE +LAST SEEN +ALIVE$/)
  expect(row).toContain(`${process.pid}  ${VERSION}`)
  const answered = [{ sourceId: "US_OFAC_SDN", snapshotId: "snapshot-1" }]
  const since = "2026-11-29T12:00:00.000Z"
  await opened.store.run(() => recordAnswered({ instanceId: other.id, answered, left: [] }, since))
  expect((await listed()).map(({ lists }) => lists)).toEqual([
    [],
    [{ source: "US_OFAC_SDN", snapshot: "snapshot-1", since }],
  ])
  expect(
    (await text())
      .split("\n")
      .slice(-4)
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([[""], ["INSTANCE", "LIST", "ANSWERS FROM", "SINCE"], [other.id, "US_OFAC_SDN", "snapshot-1", since], [""]])
  await service.close()
  expect((await listed()).map(({ instance_id }) => instance_id)).toEqual([other.id])
  await other.end()
  await other.beat()
  expect(await listed()).toEqual([])
  await opened.store.close()
})
