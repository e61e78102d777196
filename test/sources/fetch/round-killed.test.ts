/** A killed round leaves the old or the new list active and complete. The next round cleans up and succeeds. */
import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/machine.ts"
import { howMany, sample } from "../../fixtures/long.ts"
import { file, partly } from "../../fixtures/publisher.ts"
import { fetchBench, SDN } from "./fetch-bench.ts"

const MORE = [{ number: 90101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }]

const points: readonly (readonly [point: string, isNew: boolean, left: readonly string[], next: string])[] = [
  ["downloading", false, ["sdn.csv"], "IMPORTED"],
  ["downloaded", false, ["add.csv", "alt.csv", "sdn.csv", "sdn_comments.csv"], "IMPORTED"],
  ["swapped", true, ["add.csv", "alt.csv", "sdn.csv", "sdn_comments.csv"], "NOT_MODIFIED"],
  ["imported", true, ["add.csv", "alt.csv", "sdn.csv", "sdn_comments.csv"], "NOT_MODIFIED"],
]
test.each(points)("a round killed while %s leaves one complete list", async (point, isNew, left, next) => {
  await using desk = await fetchBench()
  desk.machine.set(realMachine.now() - 60_000)
  desk.offer(SDN, desk.sdn())
  const first = await desk.round(SDN)
  desk.machine.set(realMachine.now())
  const changed = desk.sdn({ extraSdn: MORE })
  desk.offer(SDN, changed)
  const primary = Buffer.from(changed[0]?.bytes ?? "")
  const half = partly({ "Content-Length": primary.length }, primary.subarray(0, 100), false)
  if (point === "downloading") desk.answer(SDN, "sdn.csv", half)

  const script = join(import.meta.dir, "killed-round.ts")
  const mirror = `http://127.0.0.1:${desk.server.port}`
  const arguments_ = [point, join(desk.directory, "bizauth.db"), desk.root, mirror]
  const child = Bun.spawn([process.execPath, script, ...arguments_], { stdout: "ignore", stderr: "inherit" })
  await child.exited
  expect(child.signalCode).toBe("SIGKILL")

  expect(readdirSync(join(desk.root, ".fetch", SDN)).sort()).toEqual([...left])
  const active = await desk.active(SDN)
  expect([active?.snapshotId === first.active?.snapshotId, active?.entries]).toEqual([!isNew, isNew ? 6 : 5])
  expect((await desk.state(SDN)).health).toBe("HEALTHY")
  // Whichever list was active at the kill, the row names only the first snapshot.
  expect((await desk.check(SDN))?.checkedSnapshotId).toBe(first.active?.snapshotId ?? "")

  desk.answer(SDN, "sdn.csv", file(primary))
  desk.machine.set(realMachine.now())
  expect((await desk.round(SDN)).outcome).toBe(next as never)
  const after = await desk.active(SDN)
  expect([after?.entries, desk.staging(SDN)]).toEqual([6, false])
  expect((await desk.check(SDN))?.checkedSnapshotId).toBe(after?.snapshotId ?? "")
  const kept = desk.database.query<{ id: string }, []>("SELECT snapshot_id AS id FROM source_snapshot").all()
  expect(readdirSync(join(desk.root, SDN)).sort()).toEqual(kept.map(({ id }) => id).sort())
})

const moments = [60, 100, 140, 180, 220]
test(`a round killed at any moment leaves one complete list active (${howMany(moments.length, 2)} moments)`, async () => {
  await using desk = await fetchBench()
  desk.machine.set(realMachine.now() - 60_000)
  desk.offer(SDN, desk.sdn())
  await desk.round(SDN)
  const script = join(import.meta.dir, "killed-round.ts")
  const mirror = `http://127.0.0.1:${desk.server.port}`
  for (const [turn, wait] of sample(moments, 2).entries()) {
    desk.machine.set(realMachine.now())
    desk.offer(SDN, desk.sdn({ extraSdn: [{ number: 90110, name: `QUILLFEATHER ${turn}`, programs: ["SDGT"] }] }))
    const child = Bun.spawn(
      [process.execPath, script, "never", join(desk.directory, "bizauth.db"), desk.root, mirror],
      {
        stdout: "ignore",
        stderr: "ignore",
      },
    )
    await Bun.sleep(wait)
    child.kill("SIGKILL")
    await child.exited
    expect((await desk.state(SDN)).health).toBe("HEALTHY")
    desk.machine.set(realMachine.now())
    expect(["IMPORTED", "NOT_MODIFIED"]).toContain((await desk.round(SDN)).outcome)
    expect([(await desk.active(SDN))?.entries, desk.staging(SDN)]).toEqual([6, false])
  }
}, 20_000)
