/** A killed round leaves the old or the new list active and complete. The next round cleans up and succeeds. */
import { expect } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { howMany, sample } from "../../fixtures/long.ts"
import { file, partly } from "../../fixtures/publisher.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { fetchBench, SDN } from "./fetch-bench.ts"

const test = slowTests(import.meta.path)

const MORE = [{ number: 90101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }]

const points: readonly (readonly [point: string, isNew: boolean, left: readonly string[], next: string])[] = [
  ["downloading", false, ["sdn.csv"], "IMPORTED"],
  ["downloaded", false, ["add.csv", "alt.csv", "sdn.csv", "sdn_comments.csv"], "IMPORTED"],
  ["swapped", true, ["add.csv", "alt.csv", "sdn.csv", "sdn_comments.csv"], "NOT_MODIFIED"],
  ["imported", true, ["add.csv", "alt.csv", "sdn.csv", "sdn_comments.csv"], "NOT_MODIFIED"],
]
test.each(points)("a round killed while %s leaves one complete list", async (point, isNew, left, next) => {
  await using operator = await fetchBench()
  operator.machine.set(realMachine.now() - 60_000)
  operator.offer(SDN, operator.sdn())
  const first = await operator.round(SDN)
  operator.machine.set(realMachine.now())
  const changed = operator.sdn({ extraSdn: MORE })
  operator.offer(SDN, changed)
  const primary = Buffer.from(changed[0]?.bytes ?? "")
  const half = partly({ "Content-Length": primary.length }, primary.subarray(0, 100), false)
  if (point === "downloading") operator.answer(SDN, "sdn.csv", half)

  const script = join(import.meta.dir, "killed-round.ts")
  const mirror = `http://127.0.0.1:${operator.server.port}`
  const arguments_ = [point, join(operator.directory, "bizauth.db"), operator.root, mirror]
  const child = Bun.spawn([process.execPath, script, ...arguments_], { stdout: "ignore", stderr: "inherit" })
  await child.exited
  expect(child.signalCode).toBe("SIGKILL")

  expect(readdirSync(join(operator.root, ".fetch", SDN)).sort()).toEqual([...left])
  const active = await operator.active(SDN)
  expect([active?.snapshotId === first.active?.snapshotId, active?.entries]).toEqual([!isNew, isNew ? 6 : 5])
  expect((await operator.state(SDN)).health).toBe("HEALTHY")
  // Whichever list was active at the kill, the row names only the first snapshot.
  expect((await operator.check(SDN))?.checkedSnapshotId).toBe(first.active?.snapshotId ?? "")

  operator.answer(SDN, "sdn.csv", file(primary))
  operator.machine.set(realMachine.now())
  expect((await operator.round(SDN)).outcome).toBe(next as never)
  const after = await operator.active(SDN)
  expect([after?.entries, operator.staging(SDN)]).toEqual([6, false])
  expect((await operator.check(SDN))?.checkedSnapshotId).toBe(after?.snapshotId ?? "")
  const kept = operator.database.query<{ id: string }, []>("SELECT snapshot_id AS id FROM source_snapshot").all()
  expect(readdirSync(join(operator.root, SDN)).sort()).toEqual(kept.map(({ id }) => id).sort())
})

const moments = [60, 100, 140, 180, 220]
test(`a round killed at any moment leaves one complete list active (${howMany(moments.length, 2)} moments)`, async () => {
  await using operator = await fetchBench()
  operator.machine.set(realMachine.now() - 60_000)
  operator.offer(SDN, operator.sdn())
  await operator.round(SDN)
  const script = join(import.meta.dir, "killed-round.ts")
  const mirror = `http://127.0.0.1:${operator.server.port}`
  // Spread over the whole run of the child: loading, fetching, reading, writing, committing.
  // No result depends on how far the child came: a slow machine only kills it earlier.
  for (const [turn, wait] of sample(moments, 2).entries()) {
    operator.machine.set(realMachine.now())
    operator.offer(
      SDN,
      operator.sdn({ extraSdn: [{ number: 90110, name: `QUILLFEATHER ${turn}`, programs: ["SDGT"] }] }),
    )
    const child = Bun.spawn(
      [process.execPath, script, "never", join(operator.directory, "bizauth.db"), operator.root, mirror],
      {
        stdout: "ignore",
        stderr: "ignore",
      },
    )
    await Bun.sleep(wait)
    child.kill("SIGKILL")
    await child.exited
    expect((await operator.state(SDN)).health).toBe("HEALTHY")
    operator.machine.set(realMachine.now())
    expect(["IMPORTED", "NOT_MODIFIED"]).toContain((await operator.round(SDN)).outcome)
    expect([(await operator.active(SDN))?.entries, operator.staging(SDN)]).toEqual([6, false])
  }
}, 20_000)
