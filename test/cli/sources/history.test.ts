import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { command as history } from "../../../src/cli/sources/history.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { command as rollback } from "../../../src/cli/sources/rollback.ts"
import { formatInstant, HOUR } from "../../../src/core/time.ts"
import { createDataDirectory, openDataDirectory } from "../../../src/data/data-directory.ts"
import { recordHealth } from "../../../src/store/sources/source-health-events.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const SDN = "US_OFAC_SDN"
const UK = "UK_SANCTIONS_LIST"

async function operator() {
  const fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await createDataDirectory(data, "test", realMachine)
  const lists = writeSampleLists(join(fresh.path, "lists"), { publishedAt: realMachine.now() - HOUR })
  return {
    data,
    lists,
    call: (command: typeof history, ...args: string[]) => runCommand(command, [...args, "--data", data]),
    /** The history entries, newest first, from the JSON output. */
    async told(...args: string[]): Promise<Record<string, unknown>[]> {
      const ran = await runCommand(history, [...args, "--data", data, "--json"])
      expect(ran.exit).toBe(0)
      const answer = JSON.parse(ran.out) as { version: number; history: Record<string, unknown>[] }
      expect(answer.version).toBe(1)
      return answer.history
    },
    /** Records the health as a running service would. */
    async judge(sourceId: string, health: "HEALTHY" | "STALE", reasonCodes: readonly string[], at: number) {
      const onFatal = (error: unknown) => {
        throw error
      }
      const { store } = await openDataDirectory(data, { machine: realMachine, migrate: false, onFatal })
      await store.run(() => recordHealth([{ sourceId, health, reasonCodes, snapshotId: null }], formatInstant(at)))
      await store.close()
    },
    [Symbol.dispose]: fresh[Symbol.dispose],
  }
}

test("the history is empty before the first import", async () => {
  using op = await operator()
  expect(await op.call(history)).toMatchObject({ exit: 0, out: "nothing recorded\n" })
  expect(await op.told()).toEqual([])
})

test("the history shows imports, rejections with their findings, rollbacks and health changes, newest first", async () => {
  using op = await operator()
  await op.call(importSource, SDN, op.lists[SDN])
  await op.judge(SDN, "HEALTHY", [], realMachine.now())
  await op.call(importSource, UK, op.lists[UK])
  await op.call(importSource, SDN, op.lists[SDN])
  writeFileSync(join(op.lists[SDN], "sdn.csv"), '90001,"VOSTOK')
  expect((await op.call(importSource, SDN, op.lists[SDN])).exit).toBe(3)
  await op.call(rollback, SDN)
  await op.judge(SDN, "STALE", ["SOURCE_STALE"], realMachine.now() + HOUR)

  const all = await op.told()
  expect(all.map(({ source_id, kind }) => [source_id, kind])).toEqual([
    [SDN, "HEALTH"],
    [SDN, "ROLLED_BACK"],
    [SDN, "REFUSED"],
    [SDN, "IMPORTED"],
    [UK, "IMPORTED"],
    [SDN, "HEALTH"],
    [SDN, "IMPORTED"],
  ])
  expect(all[0]).toMatchObject({ from: "HEALTHY", to: "STALE", reason_codes: ["SOURCE_STALE"] })
  expect(all[2]?.["findings"]).toContainEqual(expect.objectContaining({ severity: "hard", code: "TRUNCATED" }))
  expect(all[1]).toMatchObject({ snapshot_id: all[6]?.["snapshot_id"] })

  expect((await op.told(UK)).map(({ kind }) => kind)).toEqual(["IMPORTED"])
  expect(await op.told(SDN, "--limit", "2")).toEqual(all.slice(0, 2))
  const words = (await op.call(history, SDN)).out
  expect(words).toMatch(/^\S+Z {2}US_OFAC_SDN {11}HEALTH {7}HEALTHY -> STALE {2}SOURCE_STALE\n/)
  expect(words).toContain("  hard  TRUNCATED  sdn.csv: ")
  expect(words).not.toContain(UK)
})

test.each([
  [["US_OFAC_SND"], "did you mean US_OFAC_SDN"],
  [[SDN, "--limit", "0"], "--limit must be an integer from 1 to 10000"],
  [[SDN, "--limit", "ten"], "--limit must be an integer"],
  [[SDN, UK], "usage"],
])("%o is rejected with exit 2", async (args, why) => {
  using op = await operator()
  const ran = await op.call(history, ...args)
  expect(ran.exit).toBe(2)
  expect(ran.err).toContain(why)
})
