/** The times of publication and confirmation in the manifest of an imported list. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { formatInstant, HOUR } from "../../src/core/time.ts"
import type { ImportReport } from "../../src/sources/import/import-source.ts"
import type { SourceId } from "../../src/sources/records/party.ts"
import { sampleLists } from "../fixtures/sample-lists.ts"
import { importBench, START } from "./import-bench.ts"
import { whole } from "./whole-list.ts"

const SDN = "US_OFAC_SDN"
const CSL = "US_TRADE_CSL"

test("a manifest states when its files were published and confirmed, and omits unknown times", async () => {
  await using bench = importBench("live")
  const kept = (id: SourceId, { snapshotId }: ImportReport) =>
    JSON.parse(readFileSync(join(bench.root, id, snapshotId ?? "", "manifest.json"), "utf8"))
  const fetched = await bench.bring(SDN, bench.sdn(), {
    adapter: whole(SDN),
    fromPublisher: { lastModified: START - HOUR },
  })
  expect(kept(SDN, fetched)).toMatchObject({
    published_at: formatInstant(START - HOUR),
    published_from: "LAST_MODIFIED",
    confirmed_at: formatInstant(START),
  })
  const undated = await bench.bring(CSL, sampleLists({ publishedAt: START })[CSL], { environment: "test" })
  const names = Object.keys(kept(CSL, undated))
  expect(names.filter((name) => /published|confirmed/.test(name))).toEqual([])
})
