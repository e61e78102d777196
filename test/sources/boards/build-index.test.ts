import { expect } from "bun:test"
import { rmSync } from "node:fs"
import { DAY } from "../../../src/core/time.ts"
import { buildIndex, type IndexTask } from "../../../src/sources/boards/build-index.ts"
import type { BuiltIndex, PreparedList } from "../../../src/sources/boards/built-index.ts"
import { indexOf, loadSnapshots } from "../../../src/sources/boards/load-snapshots.ts"
import { snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { openTables } from "../../../src/sources/screening/name-tables.ts"
import { packedPartyAt } from "../../../src/sources/screening/party-list.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { activeSnapshots } from "../../../src/store/sources/sources.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { importBench, START } from "../import-bench.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
const SYLLABLES = ["kar", "vo", "lan", "pel", "worth", "zu", "brow", "ka", "mer", "in", "dost", "al", "fa"]
const KINDS = ["TRADING LLC", "SHIPPING CO", "BANK", "FOUNDATION", "HOLDING 7", "OF ZUBROWKA"]

/** Names that share words with each other and with the sample lists, identical at every call. */
function made(count: number, from: number) {
  return Array.from({ length: count }, (_, at) => {
    const n = from + at
    const word = (seed: number) =>
      [seed, seed * 7 + 3, seed * 5 + 1].map((part) => SYLLABLES[part % SYLLABLES.length]).join("")
    const name = `${word(n)} ${word(n * 3 + 1)} ${KINDS[n % KINDS.length]}`.toUpperCase()
    return { number: 90_200 + n, name, programs: ["SDGT"] }
  })
}

async function task(bench: ReturnType<typeof importBench>, held: ReadonlyMap<string, PreparedList>, now = START) {
  const rows = await bench.store.read(activeSnapshots)
  const lists = rows.map((row) => {
    const list = held.get(row.sourceId)
    return { row, held: list?.snapshotId === row.snapshotId && now < list.endsAt ? list : null }
  })
  return { root: bench.root, now, lists } satisfies IndexTask
}

const listsOf = ({ outcomes }: BuiltIndex) =>
  new Map(outcomes.flatMap(({ sourceId, list }) => (list ? [[sourceId, list] as const] : [])))

function opened(built: BuiltIndex): NameIndex {
  const lists = [...listsOf(built).values()]
  return new NameIndex({
    snapshotIds: {},
    parties: built.merged.parties,
    tables: openTables(built.merged, packedPartyAt(lists.map(({ parties }) => parties))),
  })
}

const requests = made(300, 0).flatMap(({ name }) => [
  name,
  `${name[0]}${name.slice(2)}`,
  name.split(" ").reverse().join(" "),
])

const answers = (index: NameIndex) =>
  requests.map((name, at) => {
    const identifiers = at % 50 === 0 ? [{ scheme: "imo", value: "9000003" }] : []
    const type = at % 3 === 0 ? null : at % 3 === 1 ? "org" : "person"
    return screen(index, { name, type, identifiers, countries: [], threshold: 0.8 })
  })

test("an index with one new list equals one built from scratch, in every number and every answer", async () => {
  await using bench = importBench()
  const { US_SAM_EXCLUSIONS, US_OFAC_CONSOLIDATED, UK_SANCTIONS_LIST } = sampleLists({ publishedAt: START })
  await bench.bring(SDN, bench.sdn({ extraSdn: made(200, 0) }))
  await bench.bring("US_SAM_EXCLUSIONS", US_SAM_EXCLUSIONS)
  let built = buildIndex(await task(bench, new Map()))
  const changes = [
    () => bench.bring(SDN, bench.sdn({ extraSdn: [...made(200, 0), ...made(20, 250)] })),
    // A list that sorts before the others gives every word and party a new number.
    () => bench.bring("UK_SANCTIONS_LIST", UK_SANCTIONS_LIST),
    () => bench.bring("US_OFAC_CONSOLIDATED", US_OFAC_CONSOLIDATED),
    () => bench.bring(SDN, bench.sdn({ extraSdn: made(300, 0) })),
  ]
  for (const change of changes) {
    expect((await change()).imported).toBe(true)
    const next = await task(bench, listsOf(built))
    expect(next.lists.filter(({ held }) => held === null)).toHaveLength(1)
    const before = built.merged
    built = buildIndex(next)
    const whole = buildIndex(await task(bench, new Map()))
    expect(built.merged).toEqual(whole.merged)
    expect(built.merged).not.toEqual(before)
    expect(answers(opened(built))).toEqual(answers(opened(whole)))
  }
})

test("parties read from bytes give the same answers as parties in memory", async () => {
  await using bench = importBench()
  for (const [id, files] of Object.entries(sampleLists({ publishedAt: START, extraSdn: made(300, 0) })))
    await bench.bring(id as typeof SDN, files)
  const { snapshots } = await loadSnapshots({ ...bench, snapshotsDirectory: bench.root })
  const found = answers(opened(buildIndex(await task(bench, new Map()))))
  expect(found).toEqual(answers(indexOf(snapshots, START)))
  expect(found.filter(({ state }) => state === "MATCH").length).toBeGreaterThan(100)
  expect(found.flatMap(({ hits }) => hits).some(({ basis }) => basis === "IDENTIFIER")).toBe(true)
})

test("a list with a hold that ended is prepared again without that entry; the others are reused", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const without = bench.sdn({ withoutSdn: [90_005] })
  const { rawSha256 } = await bench.bring(SDN, without)
  await bench.bring(SDN, without, { acceptShrink: rawSha256 })
  await bench.bring("US_OFAC_CONSOLIDATED", sampleLists({ publishedAt: START }).US_OFAC_CONSOLIDATED)
  const first = buildIndex(await task(bench, new Map()))
  expect(listsOf(first).get(SDN)?.endsAt).toBe(START + 30 * DAY)
  const later = await task(bench, listsOf(first), START + 30 * DAY)
  expect(later.lists.map(({ held }) => held !== null)).toEqual([true, false])
  expect(buildIndex(later).merged.parties).toBe(first.merged.parties - 1)
})

test("a list with lost bytes is reported and left out; the others are built", async () => {
  await using bench = importBench()
  const { snapshotId } = await bench.bring(SDN, bench.sdn())
  await bench.bring("US_OFAC_CONSOLIDATED", sampleLists({ publishedAt: START }).US_OFAC_CONSOLIDATED)
  rmSync(snapshotFolder(bench.root, SDN, snapshotId ?? ""), { recursive: true })
  const built = buildIndex(await task(bench, new Map()))
  expect(built.outcomes.map(({ sourceId, fault }) => [sourceId, fault !== null])).toEqual([
    ["US_OFAC_CONSOLIDATED", false],
    [SDN, true],
  ])
  expect(built.merged.parties).toBeGreaterThan(0)
})
