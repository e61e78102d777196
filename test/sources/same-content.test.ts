/** A new copy of the same list is not newer, whatever its name and whatever files are beside it. */
import { describe, expect } from "bun:test"
import { zipSync } from "fflate"
import { DAY, formatInstant, HOUR } from "../../src/core/time.ts"
import { LISTS } from "../../src/sources/boards/known-source.ts"
import { loadSnapshots } from "../../src/sources/boards/load-snapshots.ts"
import { sourceStates } from "../../src/sources/boards/source-health.ts"
import type { SourceId } from "../../src/sources/records/party.ts"
import { type SampleFile, samCsv, sampleLists, sampleSdnXml } from "../fixtures/sample-lists.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { importBench, START } from "./import-bench.ts"
import { whole } from "./whole-list.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
const SAM = "US_SAM_EXCLUSIONS"
const CSL = "US_TRADE_CSL"
const UK = "UK_SANCTIONS_LIST"
const PUBLISHED = START - 2 * DAY

type Bench = ReturnType<typeof importBench>

async function healthOf(bench: Bench, id: SourceId) {
  const loaded = await loadSnapshots({ ...bench, snapshotsDirectory: bench.root })
  return sourceStates(LISTS, loaded, { disabled: [], at: bench.machine.now() }).find(({ sourceId }) => sourceId === id)
    ?.health
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const readme = { name: "README.txt", bytes: utf8("copied on Friday") }
const xml = sampleSdnXml({ publishedAt: PUBLISHED })
const lists = sampleLists({ publishedAt: PUBLISHED })
const csvSet = lists[SDN]
const otherCase = ({ name, bytes }: SampleFile) => ({ name: swapped(name), bytes })
const swapped = (name: string) => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase())
const packed = (level: 0 | 9) => ({ name: "SDN_XML.ZIP", bytes: zipSync({ "SDN.XML": xml.bytes }, { level }) })
const extract = (day: string) => ({ name: `SAM_Exclusions_Public_Extract_V2_${day}.CSV`, bytes: utf8(samCsv()) })
const renamed = ([file]: readonly SampleFile[]) => [{ name: "list of today.csv", bytes: file?.bytes ?? utf8("") }]

const COPIES: readonly [what: string, id: SourceId, first: readonly SampleFile[], copy: readonly SampleFile[]][] = [
  ["beside a README", SDN, [xml], [xml, readme]],
  ["that lay beside a README before", SDN, [xml, readme], [xml]],
  ["beside a file of the other format that is not read", SDN, [xml], [xml, ...csvSet.slice(1)]],
  ["under file names in the other case", SDN, csvSet, csvSet.map(otherCase)],
  ["under another file name", CSL, lists[CSL], renamed(lists[CSL])],
  ["beside a README, under another file name", UK, lists[UK], [...lists[UK].map(otherCase), readme]],
  ["in an archive", SDN, [xml], [packed(9)]],
  ["in an archive that was packed anew", SDN, [packed(9)], [packed(0)]],
  ["under the file name of a later day", SAM, [extract("26322")], [extract("26324")]],
]

describe("a copy of an imported list keeps the first retrieval", () => {
  test.each(COPIES)("%s (%s)", async (_, id, first, copy) => {
    await using bench = importBench("live")
    const given = { adapter: whole(id), publishedAt: PUBLISHED }
    const taken = await bench.bring(id, first, given)
    bench.machine.set(START + 5 * DAY)
    const copied = await bench.bring(id, copy, given)
    expect([copied.imported, copied.retrievedAt, copied.publishedAt]).toEqual([
      true,
      taken.retrievedAt,
      taken.publishedAt,
    ])
    expect(await healthOf(bench, id)).toBe("STALE")
  })
})

test("a copy of a list keeps the confirmation by its publisher", async () => {
  await using bench = importBench("live")
  const given = { adapter: whole(SDN) }
  await bench.bring(SDN, [xml], { ...given, fromPublisher: { lastModified: null } })
  bench.machine.set(START + HOUR)
  const copied = await bench.bring(SDN, [xml, readme], given)
  expect(copied.confirmedAt).toBe(formatInstant(START))
})

test("a copy of an accepted list needs no second acceptance", async () => {
  await using bench = importBench("live")
  const taken = await bench.bring(SDN, [xml], { acceptSmall: "drill of the desk" })
  const copied = await bench.bring(SDN, [packed(9), readme])
  expect([copied.imported, copied.acceptances]).toEqual([true, taken.acceptances])
})

test("a list with other content gets the retrieval time of its own files", async () => {
  await using bench = importBench("live")
  const given = { adapter: whole(SDN), publishedAt: PUBLISHED }
  await bench.bring(SDN, [xml], given)
  bench.machine.set(START + DAY)
  const other = [sampleSdnXml({ publishedAt: START, withoutSdn: [90005] })]
  const next = await bench.bring(SDN, other, {
    ...given,
    acceptShrink: (await bench.bring(SDN, other, given)).rawSha256,
  })
  expect([next.imported, next.retrievedAt]).toEqual([true, formatInstant(START + DAY)])
})

test("the day in the file name counts again if the publisher's own host gave the file", async () => {
  await using bench = importBench("live")
  const given = { adapter: whole(SAM) }
  await bench.bring(SAM, [extract("26322")], given)
  const fetched = await bench.bring(SAM, [extract("26324")], { ...given, fromPublisher: { lastModified: null } })
  expect(fetched.publishedAt).toBe("2026-11-20T00:00:00.000Z")
})
