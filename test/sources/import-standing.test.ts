/** What a directory takes as a list of known age and size, as a sample, or not at all. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DAY, formatInstant, HOUR } from "../../src/core/time.ts"
import type { ImportReport } from "../../src/sources/import-snapshot.ts"
import { loadSnapshots } from "../../src/sources/load-snapshots.ts"
import { SOURCE_IDS, type SourceId } from "../../src/sources/party.ts"
import { ADAPTERS } from "../../src/sources/registry.ts"
import { sourceStates } from "../../src/sources/source-health.ts"
import { sampleLists, sampleSdnXml } from "../fixtures/sample-lists.ts"
import { type Given, hardCodes, importBench, START } from "./import-bench.ts"

const SDN = "US_OFAC_SDN"
const CSL = "US_TRADE_CSL"
const SAM = "US_SAM_EXCLUSIONS"
const CONSOLIDATED = "US_OFAC_CONSOLIDATED"

type Bench = ReturnType<typeof importBench>

/** The same adapter without a least size: sample parties stand for a whole list. */
function whole(id: SourceId): NonNullable<Given["adapter"]> {
  const adapter = ADAPTERS[id]
  return {
    ...adapter,
    parse: (files) => {
      const parsed = adapter.parse(files)
      return { ...parsed, findings: parsed.findings.filter(({ code }) => code !== "BELOW_EXPECTED") }
    },
  }
}

async function state(bench: Bench, id: SourceId, at = bench.machine.now()) {
  const loaded = await loadSnapshots({ ...bench, snapshotsDirectory: bench.root })
  const found = sourceStates(SOURCE_IDS, loaded, [], at).find(({ sourceId }) => sourceId === id)
  if (!found) throw new Error(`no state of ${id}`)
  return found
}

const softCodes = ({ findings }: ImportReport) =>
  findings.filter(({ severity }) => severity === "soft").map(({ code }) => code)
const audit = (bench: Bench) =>
  bench.database
    .query<{ what: string; reason: string; raw_sha256: string; snapshot_id: string }, []>(
      "SELECT what, reason, raw_sha256, snapshot_id FROM source_acceptance ORDER BY id",
    )
    .all()

describe("a list under the least size", () => {
  test("is refused at first import in a live directory, and nothing becomes active", async () => {
    await using bench = importBench("live")
    const refused = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START })])
    expect([refused.imported, hardCodes(refused)]).toEqual([false, ["BELOW_EXPECTED"]])
    expect(refused.findings.find(({ code }) => code === "BELOW_EXPECTED")?.detail).toContain("--accept-small REASON")
    expect(await bench.active(SDN)).toBeNull()
    expect(audit(bench)).toEqual([])
  })

  test("is a sample in a test directory, and the next one after it too", async () => {
    await using bench = importBench("test")
    for (const day of [0, 1]) {
      bench.machine.set(START + day * DAY)
      const taken = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START + day * DAY })])
      expect([taken.imported, taken.isSample, softCodes(taken)]).toEqual([true, true, ["BELOW_EXPECTED"]])
      expect(await bench.active(SDN)).toMatchObject({ isSample: 1, size: "UNDER_LEAST" })
    }
    expect((await state(bench, SDN)).snapshot).toMatchObject({ limitations: ["SAMPLE"], isIncomplete: true })
  })

  test("is accepted for exactly these bytes, with a reason that is recorded and shown", async () => {
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

  test("may follow a whole one that it is compared with, but not one that it shrank from", async () => {
    await using bench = importBench("live")
    const first = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START })], { adapter: whole(SDN) })
    expect(await bench.active(SDN)).toMatchObject({ snapshotId: first.snapshotId, size: "WHOLE" })
    bench.machine.set(START + HOUR)
    const same = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START })])
    expect([same.imported, softCodes(same)]).toEqual([true, ["BELOW_EXPECTED"]])
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

describe("files that do not say when they were published", () => {
  const publishedTwoDaysAgo = { publishedAt: START - 2 * DAY }
  test.each([SDN, CONSOLIDATED, CSL] as const)("%s: refused in a live directory, naming --published-at", async (id) => {
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

  test("are a sample in a test directory, and answers say that their age is unknown", async () => {
    await using bench = importBench("test")
    const taken = await bench.bring(SDN, bench.sdn(), { adapter: whole(SDN) })
    expect([taken.imported, taken.isSample, softCodes(taken)]).toEqual([true, true, ["PUBLICATION_UNKNOWN"]])
    expect((await state(bench, SDN)).snapshot).toMatchObject({
      limitations: ["SAMPLE", "PUBLICATION_UNKNOWN"],
      publishedAt: null,
      isIncomplete: false,
    })
  })

  test("are dated by the header of their publisher's own host, never by a file's time", async () => {
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

  test("of a list without a limit of its own need no date while their publisher gives them", async () => {
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
  test("is their content's or their name's, and an operator's other time is not used", async () => {
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

  test("ends the list at its limit, however lately it was retrieved", async () => {
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

  test("decides which of two lists is older, by its day where the two times have different origins", async () => {
    await using bench = importBench("live")
    const given = { adapter: whole(SDN) }
    await bench.bring(SDN, bench.sdn(), { ...given, publishedAt: START - HOUR })
    const sameDay = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START })], given)
    expect(sameDay.imported).toBe(true)
    const older = await bench.bring(SDN, bench.sdn(), { ...given, publishedAt: START - 3 * DAY })
    expect(hardCodes(older)).toEqual(["OLDER_THAN_ACTIVE"])
  })
})

describe("old content", () => {
  const old = (years = 5) => [sampleSdnXml({ publishedAt: START - years * 365 * DAY })]
  const given = { adapter: whole(SDN) }

  test.each(["live", "test"] as const)(
    "is STALE from its import on in a %s directory, and the finding says so",
    async (environment) => {
      await using bench = importBench(environment)
      const taken = await bench.bring(SDN, old(), given)
      expect([taken.imported, softCodes(taken)]).toEqual([true, ["CONTENT_OLD"]])
      expect(await state(bench, SDN)).toMatchObject({ health: "STALE", freshness: "STALE", isAccepted: false })
    },
  )

  test("is usable for one retrieval window where the operator accepted it, but never FRESH", async () => {
    await using bench = importBench("live")
    const taken = await bench.bring(SDN, old(), { ...given, acceptOld: "archive of the court case" })
    expect(await state(bench, SDN)).toMatchObject({
      health: "HEALTHY",
      freshness: "AGING",
      isAccepted: true,
      reasonCodes: ["SOURCE_AGING", "SOURCE_ACCEPTED_BY_OPERATOR"],
      staleAt: formatInstant(START + 3 * DAY),
    })
    expect(audit(bench)).toMatchObject([{ what: "OLD", reason: "archive of the court case" }])
    expect((await state(bench, SDN, START + 3 * DAY)).health).toBe("STALE")
    // Copied again it is no younger; accepted again it is.
    bench.machine.set(START + 3 * DAY)
    const copied = await bench.bring(SDN, old(), given)
    expect([copied.rawSha256, (await state(bench, SDN)).health]).toEqual([taken.rawSha256, "STALE"])
    await bench.bring(SDN, old(), { ...given, acceptOld: "still needed" })
    expect((await state(bench, SDN)).health).toBe("HEALTHY")
    expect(audit(bench).map(({ reason }) => reason)).toEqual(["archive of the court case", "still needed"])
  })

  test("that was accepted in a test directory is a sample", async () => {
    await using bench = importBench("test")
    const taken = await bench.bring(SDN, old(), { ...given, acceptOld: "drill" })
    expect(taken.isSample).toBe(true)
    expect(await state(bench, SDN)).toMatchObject({ health: "HEALTHY", freshness: "AGING", isAccepted: false })
  })

  test("an acceptance that nothing needed is said and not recorded", async () => {
    await using bench = importBench("live")
    const taken = await bench.bring(SDN, [sampleSdnXml({ publishedAt: START })], {
      ...given,
      acceptOld: "just in case",
      acceptSmall: "just in case",
    })
    expect([taken.imported, softCodes(taken), taken.acceptances]).toEqual([
      true,
      ["ACCEPTANCE_UNUSED", "ACCEPTANCE_UNUSED"],
      [],
    ])
    expect(audit(bench)).toEqual([])
  })

  test("an acceptance does not let damaged bytes in, and is not recorded for them", async () => {
    await using bench = importBench("live")
    const [xml] = [sampleSdnXml({ publishedAt: START })]
    const cut = [{ ...xml, bytes: xml.bytes.subarray(0, 400) }]
    const refused = await bench.bring(SDN, cut, { acceptOld: "x", acceptSmall: "x" })
    expect([refused.imported, hardCodes(refused).includes("BELOW_EXPECTED")]).toEqual([false, false])
    expect(audit(bench)).toEqual([])
  })
})

test("a manifest states when its files were published and confirmed, and leaves out what nobody knows", async () => {
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
