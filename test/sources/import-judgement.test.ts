/** When a directory imports a list as complete and dated, as a sample, or not at all. */
import { describe, expect } from "bun:test"
import { DAY, formatInstant, HOUR } from "../../src/core/time.ts"
import type { SourceId } from "../../src/sources/records/party.ts"
import { sampleLists, sampleSdnXml } from "../fixtures/sample-lists.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { hardCodes, importBench, START } from "./import-bench.ts"
import { audit, confirm, SDN, softCodes, state } from "./import-states.ts"
import { whole } from "./whole-list.ts"

const test = slowTests(import.meta.path)

const CSL = "US_TRADE_CSL"
const SAM = "US_SAM_EXCLUSIONS"
const CONSOLIDATED = "US_OFAC_CONSOLIDATED"

const ADDED = { number: 90110, name: "ZEPHYR MARLOWE TRUST", programs: ["SDGT"] }

describe("a list under its least size", () => {
  test("is refused at the first import in a live directory, and nothing becomes active", async () => {
    await using bench = importBench("live")
    const refused = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START })])
    expect([refused.imported, hardCodes(refused)]).toEqual([false, ["BELOW_EXPECTED"]])
    expect(refused.findings.find(({ code }) => code === "BELOW_EXPECTED")?.detail).toContain(
      "sources import with --accept-small REASON",
    )
    expect(await bench.active(SDN)).toBeNull()
    expect(audit(bench)).toEqual([])
  })

  test("is a sample in a test directory, and so is the next one after it", async () => {
    await using bench = importBench("test")
    for (const day of [0, 1]) {
      bench.machine.set(START + day * DAY)
      const taken = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START + day * DAY })])
      expect([taken.imported, taken.isSample, softCodes(taken)]).toEqual([true, true, ["BELOW_EXPECTED"]])
      expect(await bench.active(SDN)).toMatchObject({ isSample: 1, size: "UNDER_LEAST" })
    }
    expect((await state(bench, SDN)).snapshot).toMatchObject({ limitations: ["SAMPLE"], isIncomplete: true })
  })

  test("is accepted for exactly its bytes, with a reason that is recorded and shown", async () => {
    await using bench = importBench("live")
    const list = [sampleSdnXml({ publishedAt: START })]
    const taken = await bench.bring(SDN, list, { acceptSmall: "drill of the desk" })
    expect([taken.imported, taken.isSample]).toEqual([true, false])
    expect(audit(bench)).toEqual([
      { what: "SMALL", reason: "drill of the desk", raw_sha256: taken.rawSha256, snapshot_id: taken.snapshotId ?? "" },
    ])
    const accepted = await state(bench, SDN)
    expect(accepted).toMatchObject({
      health: "HEALTHY",
      freshness: "AGING",
      isAccepted: true,
      reasonCodes: ["SOURCE_AGING", "SOURCE_ACCEPTED_BY_OPERATOR"],
    })
    expect(accepted.snapshot).toMatchObject({
      limitations: ["ACCEPTED_SMALL"],
      acceptances: [{ what: "SMALL", reason: "drill of the desk", at: formatInstant(START) }],
    })
    // The same bytes need no second acceptance; others do.
    expect((await bench.bring(SDN, list)).imported).toBe(true)
    expect(audit(bench)).toHaveLength(1)
    const others = [sampleSdnXml({ publishedAt: START, withoutSdn: [90005] })]
    const refused = await bench.bring(SDN, others, { acceptShrink: null })
    expect(hardCodes(refused)).toContain("BELOW_EXPECTED")
  })

  test("may follow a larger list if it did not shrink from it", async () => {
    await using bench = importBench("live")
    const first = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START })], { adapter: whole(SDN) })
    expect(await bench.active(SDN)).toMatchObject({ snapshotId: first.snapshotId, size: "WHOLE" })
    bench.machine.set(START + HOUR)
    const same = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START })])
    expect([same.imported, softCodes(same)]).toEqual([true, ["BELOW_EXPECTED"]])
    expect(await bench.active(SDN)).toMatchObject({ snapshotId: same.snapshotId, size: "UNDER_LEAST", isSample: 0 })
    expect((await state(bench, SDN)).snapshot).toMatchObject({ limitations: [], isIncomplete: true })
    // It was not accepted and is not a sample, so the next list is compared with it too.
    bench.machine.set(START + 2 * HOUR)
    const again = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START, extraSdn: [ADDED] })])
    expect([again.imported, softCodes(again)]).toEqual([true, ["BELOW_EXPECTED"]])
    const less = [sampleSdnXml({ publishedAt: START, withoutSdn: [90002, 90003] })]
    const refused = await bench.bring(SDN, less)
    const digest = await bench.bring(SDN, less, { acceptShrink: refused.rawSha256 })
    expect([new Set(hardCodes(refused)), hardCodes(digest)]).toEqual([
      new Set(["SHRUNK", "BELOW_EXPECTED"]),
      ["BELOW_EXPECTED"],
    ])
    const both = await bench.bring(SDN, less, { acceptShrink: refused.rawSha256, acceptSmall: "agreed with the desk" })
    expect(both.imported).toBe(true)
  })
})

describe("files that do not state their publication time", () => {
  const publishedTwoDaysAgo = { publishedAt: START - 2 * DAY }
  test.each([SDN, CONSOLIDATED, CSL] as const)("of %s are refused in a live directory, with a hint", async (id) => {
    await using bench = importBench("live")
    const files = sampleLists({ publishedAt: START })[id]
    const refused = await bench.bring(id, files, { adapter: whole(id) })
    expect([refused.imported, hardCodes(refused)]).toEqual([false, ["PUBLICATION_UNKNOWN"]])
    expect(refused.findings.find(({ code }) => code === "PUBLICATION_UNKNOWN")?.detail).toContain("--published-at T")
    const stated = await bench.bring(id, files, { adapter: whole(id), ...publishedTwoDaysAgo })
    expect([stated.imported, stated.publishedAt, stated.publishedFrom]).toEqual([
      true,
      formatInstant(START - 2 * DAY),
      "STATED",
    ])
    expect((await state(bench, id)).snapshot?.limitations).toEqual([])
  })

  test("are a sample in a test directory, and answers state that their age is unknown", async () => {
    await using bench = importBench("test")
    const taken = await bench.bring(SDN, bench.sdn(), { adapter: whole(SDN) })
    expect([taken.imported, taken.isSample, softCodes(taken)]).toEqual([true, true, ["PUBLICATION_UNKNOWN"]])
    expect((await state(bench, SDN)).snapshot).toMatchObject({
      limitations: ["SAMPLE", "PUBLICATION_UNKNOWN"],
      publishedAt: null,
      isIncomplete: false,
    })
  })

  test("are no longer a sample after their publisher dated them, if only their age was unknown", async () => {
    await using bench = importBench("test")
    const { snapshotId } = await bench.bring(SDN, bench.sdn(), { adapter: whole(SDN) })
    await confirm(bench, snapshotId, START - HOUR)
    const { snapshot } = await state(bench, SDN)
    expect([snapshot?.publishedFrom, snapshot?.limitations, snapshot?.findings]).toEqual(["LAST_MODIFIED", [], []])
  })

  test("stay a sample after their publisher dated them if they are also too few", async () => {
    await using bench = importBench("test")
    const { snapshotId } = await bench.bring(SDN, bench.sdn())
    await confirm(bench, snapshotId, START - HOUR)
    const { snapshot } = await state(bench, SDN)
    expect([snapshot?.limitations, snapshot?.findings.map(({ code }) => code)]).toEqual([
      ["SAMPLE"],
      ["BELOW_EXPECTED"],
    ])
  })

  test("are dated by the header of their publisher's own host, never by the time of a file", async () => {
    await using bench = importBench("live")
    const files = bench.sdn()
    const copied = await bench.bring(SDN, files, { adapter: whole(SDN), modifiedAt: START - HOUR })
    expect(hardCodes(copied)).toEqual(["PUBLICATION_UNKNOWN"])
    const fetched = await bench.bring(SDN, files, {
      adapter: whole(SDN),
      fromPublisher: { lastModified: START - 3 * HOUR },
    })
    expect(fetched).toMatchObject({
      imported: true,
      publishedAt: formatInstant(START - 3 * HOUR),
      publishedFrom: "LAST_MODIFIED",
      confirmedAt: formatInstant(START),
    })
  })

  test("need no date if the list has no age limit and their publisher's host served them", async () => {
    await using bench = importBench("live")
    const files = sampleLists({ publishedAt: START })[CSL]
    const fetched = await bench.bring(CSL, files, { adapter: whole(CSL), fromPublisher: { lastModified: null } })
    expect(fetched.imported).toBe(true)
    expect((await state(bench, CSL)).snapshot?.limitations).toEqual(["PUBLICATION_UNKNOWN"])
    const sdn = await bench.bring(SDN, bench.sdn(), { adapter: whole(SDN), fromPublisher: { lastModified: null } })
    expect(hardCodes(sdn)).toEqual(["PUBLICATION_UNKNOWN"])
  })
})

describe("the publication time that the files state", () => {
  test("comes from their content or their name, and another time from the operator is ignored", async () => {
    await using bench = importBench("live")
    const lists = sampleLists({ publishedAt: START })
    const xml = [sampleSdnXml({ publishedAt: START })]
    const rows: readonly [SourceId, (typeof lists)[SourceId], string][] = [
      [SDN, xml, "CONTENT"],
      ["UK_SANCTIONS_LIST", lists.UK_SANCTIONS_LIST, "CONTENT"],
      [SAM, lists[SAM], "FILE_NAME"],
    ]
    for (const [id, files, from] of rows) {
      const taken = await bench.bring(id, files, { adapter: whole(id), publishedAt: START - 300 * DAY })
      expect([id, taken.imported, taken.publishedFrom, taken.publishedAt?.slice(0, 10)]).toEqual([
        id,
        true,
        from,
        formatInstant(START).slice(0, 10),
      ])
      expect(softCodes(taken)).toContain("PUBLISHED_AT_UNUSED")
    }
  })

  test("ends the list at its limit, even if it was retrieved later", async () => {
    await using bench = importBench("live")
    const taken = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START - 44 * DAY })], { adapter: whole(SDN) })
    expect(taken.imported).toBe(true)
    const published = Date.parse(taken.publishedAt ?? "")
    expect(await state(bench, SDN)).toMatchObject({ health: "HEALTHY", staleAt: formatInstant(published + 45 * DAY) })
    expect(await state(bench, SDN, published + 45 * DAY)).toMatchObject({
      health: "STALE",
      reasonCodes: ["SOURCE_STALE", "CONTENT_TOO_OLD"],
    })
  })

  test("decides which of two lists is older, by day if the two times have different origins", async () => {
    await using bench = importBench("live")
    const given = { adapter: whole(SDN) }
    await bench.bring(SDN, bench.sdn(), { ...given, publishedAt: START - HOUR })
    const sameDay = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START })], given)
    expect(sameDay.imported).toBe(true)
    const older = await bench.bring(SDN, bench.sdn(), { ...given, publishedAt: START - 3 * DAY })
    expect(hardCodes(older)).toEqual(["OLDER_THAN_ACTIVE"])
  })

  test("may be one day before the header's time if the header is just after midnight UTC", async () => {
    await using bench = importBench("live")
    const day = Date.UTC(2026, 10, 19)
    const given = { adapter: whole(SDN), fromPublisher: { lastModified: day + DAY + HOUR } }
    const csv = await bench.bring(SDN, bench.sdn({ publishedAt: day }), given)
    bench.machine.set(START + HOUR)
    const sameDay = await bench.bring(SDN, [sampleSdnXml({ publishedAt: day })], given)
    expect([csv.imported, sameDay.imported, sameDay.publishedAt]).toEqual([true, true, formatInstant(day)])
  })
})
