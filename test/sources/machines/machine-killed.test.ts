/** A machine that is killed while it stores or takes a list leaves the old or the new list in use, and nothing that stays. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { SECOND } from "../../../src/core/time.ts"
import { snapshotFault } from "../../../src/sources/import/snapshot-files.ts"
import { receiveSnapshot } from "../../../src/sources/machines/receive-snapshot.ts"
import { activeSnapshot } from "../../../src/store/sources/sources.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { type SharedBench, sharedBench, storedRows } from "./shared-bench.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(120_000)

const SDN = "US_OFAC_SDN"
/** Manifest, parties and four files of the publisher. Each is noted in one unit and stored in another. */
const FILES = 6
const ACTIVATION = 2 * FILES + 1

async function killed(point: string, bench: SharedBench, root: string, folder = ""): Promise<void> {
  const script = join(import.meta.dir, "killed-machine.ts")
  const child = Bun.spawn([process.execPath, script, point, bench.database.address, root, folder], {
    stdout: "ignore",
    stderr: "inherit",
  })
  await child.exited
  expect(child.signalCode).toBe("SIGKILL")
}

describe.skipIf(!HAS_POSTGRES)(`a killed machine${NOT_RUN}`, () => {
  const importing: readonly [point: string, uploads: number, isActive: boolean][] = [
    ["after 1", 1, false],
    ["after 2", 1, false],
    ["after 7", 4, false],
    [`before ${ACTIVATION}`, FILES, false],
    [`after ${ACTIVATION}`, 0, true],
  ]
  test.each(importing)(
    "an import killed %s leaves no bytes that a later import keeps",
    async (point, uploads, isActive) => {
      await using bench = await sharedBench()
      bench.clock.set(realMachine.now())
      const [one, other] = [await bench.machine("one"), await bench.machine("other")]
      const { database } = bench
      await killed(point, bench, join(one.root, "..", "killed"), bench.files(SDN))
      expect((await storedRows(database))["list_upload"]).toBe(uploads)
      const active = await one.store.read(() => activeSnapshot(SDN))
      expect(active !== null).toBe(isActive)
      // The list of the killed import is whole for the others, or not in use.
      if (active) {
        await receiveSnapshot({ store: other.store, root: other.root }, active)
        expect(snapshotFault(other.root, active)).toBeNull()
      }
      bench.clock.set(realMachine.now() + SECOND)
      // Another list, so that no byte of the killed import is stored again.
      expect((await other.import("US_TRADE_CSL", bench.files("US_TRADE_CSL"))).imported).toBe(true)
      expect(await storedRows(database)).toMatchObject({ list_upload: 0, list_file: (isActive ? FILES : 0) + 3 })
      expect(await database.count("list_part", "sha256 NOT IN (SELECT sha256 FROM list_file)")).toBe(0)
    },
  )

  const receiving = [1, 2, 4, FILES + 1].map((nth) => [`after ${nth}`] as const)
  test.each(receiving)(
    "a machine killed %s reads has no folder, and takes the list when it starts again",
    async (point) => {
      await using bench = await sharedBench()
      bench.clock.set(realMachine.now())
      const [one, other] = [await bench.machine("one"), await bench.machine("other")]
      const { snapshotId } = await one.import(SDN, bench.files(SDN))
      await killed(point, bench, other.root)
      expect(existsSync(join(other.root, SDN))).toBe(false)
      expect(existsSync(join(other.root, ".received", SDN))).toBe(true)
      const { board } = await other.board()
      expect(board.index().snapshotIds[SDN]).toBe(snapshotId ?? "")
      expect(readdirSync(join(other.root, ".received"))).toEqual([`${SDN}.lock`])
    },
  )

  test("an import whose bytes another machine removed meanwhile activates nothing", async () => {
    await using bench = await sharedBench()
    let isLost = false
    const one = await bench.machine("one", (own) => ({
      ...own,
      run: async (unit, order) => {
        const rows = await storedRows(bench.database)
        // Before the unit that makes it active: as if the connection with the lock was lost and another import began.
        if (!isLost && rows["list_upload"] === FILES && rows["list_part"] === FILES) {
          isLost = true
          await bench.database.write("DELETE FROM list_part WHERE sha256 = (SELECT min(sha256) FROM list_part)")
        }
        return own.run(unit, order)
      },
      read: (unit) => own.read(unit),
    }))
    await expect(one.import(SDN, bench.files(SDN))).rejects.toThrow(
      "another import began meanwhile and removed what this one had stored in the database; try again",
    )
    expect(readdirSync(join(one.root, SDN))).toEqual([])
    expect(isLost).toBe(true)
    expect(await one.store.read(() => activeSnapshot(SDN))).toBeNull()
    expect((await one.import(SDN, bench.files(SDN))).imported).toBe(true)
  })
})
