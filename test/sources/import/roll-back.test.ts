import { expect, test } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DAY } from "../../../src/core/time.ts"
import { rollBack } from "../../../src/sources/import/roll-back.ts"
import { snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { listSource } from "../../../src/sources/import/source.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { importBench, START } from "../import-bench.ts"

const SDN = "US_OFAC_SDN"

/** Imports one snapshot a day and returns their ids, oldest first. */
async function brought(bench: ReturnType<typeof importBench>, days: number): Promise<string[]> {
  const ids: string[] = []
  for (let day = 0; day < days; day++) {
    bench.machine.set(START + (ids.length + bench.events().length) * DAY)
    ids.push((await bench.bring(SDN, bench.sdn())).snapshotId ?? "")
  }
  return ids
}

const back = ({ store, machine, root }: ReturnType<typeof importBench>) =>
  rollBack({ store, machine, root, source: listSource(ADAPTERS[SDN]) })

test("a rollback makes the previous snapshot active and records one event", async () => {
  await using bench = importBench()
  const [first, second] = await brought(bench, 2)
  expect(await back(bench)).toMatchObject({ outcome: "ROLLED_BACK", snapshot: { snapshotId: first } })
  expect(await bench.active(SDN)).toMatchObject({ snapshotId: first, state: "ACTIVE" })
  expect(bench.events().at(-1)).toMatchObject({ kind: "ROLLED_BACK", snapshot_id: first })
  expect(second).not.toBe(first)
})

test("a later rollback never returns to a snapshot that was rolled back", async () => {
  await using bench = importBench()
  const [first] = await brought(bench, 2)
  await back(bench)
  const [third] = await brought(bench, 1)
  expect(await bench.active(SDN)).toMatchObject({ snapshotId: third })
  expect(await back(bench)).toMatchObject({ snapshot: { snapshotId: first } })
  expect(await back(bench)).toEqual({ outcome: "NOTHING_KEPT" })
  expect(await bench.active(SDN)).toMatchObject({ snapshotId: first })
})

test("a snapshot that was rolled back does not displace a good one", async () => {
  await using bench = importBench()
  const [first] = await brought(bench, 2)
  await back(bench)
  await brought(bench, 2)
  await back(bench)
  expect(await back(bench)).toMatchObject({ outcome: "ROLLED_BACK", snapshot: { snapshotId: first } })
})

test("without an earlier snapshot nothing is changed or recorded", async () => {
  await using bench = importBench()
  expect(await back(bench)).toEqual({ outcome: "NOTHING_KEPT" })
  const [only] = await brought(bench, 1)
  expect(await back(bench)).toEqual({ outcome: "NOTHING_KEPT" })
  expect(await bench.active(SDN)).toMatchObject({ snapshotId: only })
  expect(bench.events()).toHaveLength(1)
})

const damages: readonly [name: string, damage: (folder: string) => void][] = [
  ["without its folder", (folder) => rmSync(folder, { recursive: true })],
  ["with edited parties", (folder) => writeFileSync(join(folder, "parties.json"), '{"parties":[],"removed":[]}')],
  ["with an edited raw file", (folder) => writeFileSync(join(folder, "alt.csv"), "\u001a")],
]
test.each(damages)("a stored snapshot %s is not made active", async (_name, damage) => {
  await using bench = importBench()
  const [first = "", second] = await brought(bench, 2)
  damage(snapshotFolder(bench.root, SDN, first))
  expect(await back(bench)).toMatchObject({ outcome: "UNREADABLE" })
  expect(await bench.active(SDN)).toMatchObject({ snapshotId: second })
})
