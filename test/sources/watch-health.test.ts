import { expect, test } from "bun:test"
import { formatInstant, HOUR } from "../../src/core/time.ts"
import { healthRounds } from "../../src/sources/watch-health.ts"
import { sourceHistory } from "../../src/store/source-history.ts"
import { sampleLists } from "../fixtures/sample-lists.ts"
import { importBench, START } from "./import-bench.ts"

const UK = "UK_SANCTIONS_LIST"

test("a list nobody is screened against has its changes recorded once it was imported, and before that none", async () => {
  await using bench = importBench()
  const look = healthRounds({ ...bench, sources: [UK], disabled: [] })
  const recorded = async () => {
    const { health } = await bench.store.read(() => sourceHistory(UK, 50))
    return health.map(({ at, fromHealth, toHealth }) => [at, fromHealth, toHealth]).reverse()
  }
  await look()
  expect(await recorded()).toEqual([])
  await bench.bring(UK, sampleLists({ publishedAt: START })[UK])
  for (let round = 0; round < 3; round++) await look()
  const first = [formatInstant(START), null, "HEALTHY"]
  expect(await recorded()).toEqual([first])
  bench.machine.set(START + 73 * HOUR)
  await look()
  await look()
  expect(await recorded()).toEqual([first, [formatInstant(START + 73 * HOUR), "HEALTHY", "STALE"]])
})
