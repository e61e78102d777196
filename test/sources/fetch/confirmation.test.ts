/** The publisher's own host can confirm a list and so make it FRESH again. A mirror cannot. */
import { describe, expect } from "bun:test"
import { zipSync } from "fflate"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"
import { fromPublisher } from "../../../src/sources/fetch/fetch-target.ts"
import { file, internet, PUBLIC } from "../../fixtures/publisher.ts"
import { cslFile, sampleLists, sampleSdnXml } from "../../fixtures/sample-lists.ts"
import { cslRows } from "../../fixtures/sample-parties.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { START } from "../import-bench.ts"
import { CSL, fetchBench, SDN } from "./fetch-bench.ts"

const test = slowTests(import.meta.path)

const HOSTS = { "sanctionslistservice.ofac.treas.gov": [[PUBLIC]], "data.trade.gov": [[PUBLIC]] }
const CSL_PATH = "/downloadable_consolidated_screening_list/v1/consolidated.csv"
const LEAST_BYTES = 1_200_000

/** The publishers' own addresses. The test's server answers them under a name that it has a certificate for. */
async function publishers() {
  const operator = await fetchBench(true)
  const net = internet(HOSTS, operator.server.port)
  const open = net.open
  net.open = (dial) => open({ ...dial, serverName: "lists.example.test" })
  const xml = sampleSdnXml({ publishedAt: START }).bytes
  const padded = Buffer.concat([xml, Buffer.from(`<!--${"x".repeat(LEAST_BYTES)}-->`)])
  const zip = zipSync({ "SDN.XML": [padded, { level: 0, mtime: START }] })
  const exported = "/api/PublicationPreview/exports/SDN_XML.ZIP"
  return {
    ...operator,
    ask: (id: typeof SDN | typeof CSL) => operator.round(id, { network: net }),
    /** The Treasury's file, with or without a tag. */
    offerSdn: (headers: Readonly<Record<string, string>>) => operator.server.answer(exported, file(zip, headers)),
    news: (text: string) => operator.server.answer("/changes/latest", file(text)),
    offerCsl: (headers: Readonly<Record<string, string>>) => {
      const [first = {}, ...others] = cslRows
      const { bytes } = cslFile([{ ...first, remarks: "x".repeat(LEAST_BYTES) }, ...others])
      operator.server.answer(CSL_PATH, file(bytes, headers))
    },
  }
}

describe("the publisher's own host", () => {
  const ways: readonly [how: string, headers: Readonly<Record<string, string>>, news: string | null][] = [
    ["says 304", { ETag: '"z"' }, null],
    ["gives the same bytes again", {}, null],
    ["names no newer publication", {}, "2026-11-20_delta"],
  ]
  test.each(ways)("confirms a list when it %s, and the list is FRESH again", async (_how, headers, news) => {
    await using operator = await publishers()
    operator.offerSdn(headers)
    if (news !== null) operator.news(news)
    const { active } = await operator.ask(SDN)
    expect(active).toMatchObject({ confirmedAt: formatInstant(START), retrievedAt: formatInstant(START) })
    operator.machine.set(START + (news === null ? 2 * DAY : 5 * HOUR))
    const report = await operator.ask(SDN)
    expect([report.outcome, report.active?.snapshotId]).toEqual(["NOT_MODIFIED", active?.snapshotId])
    expect(report.active).toMatchObject({ confirmedAt: operator.now(), retrievedAt: formatInstant(START) })
    expect(await operator.state(SDN)).toMatchObject({ freshness: "FRESH", checkedAt: operator.now() })
  })

  test("dates a list by its header, and dates an earlier undated import when it returns the same bytes", async () => {
    await using operator = await publishers()
    operator.offerCsl({})
    expect((await operator.ask(CSL)).active).toMatchObject({ publishedAt: null, publishedFrom: null })
    operator.machine.set(START + HOUR)
    operator.offerCsl({ "Last-Modified": new Date(START - DAY).toUTCString() })
    const { outcome, active } = await operator.ask(CSL)
    expect([outcome, active?.publishedAt, active?.publishedFrom]).toEqual([
      "NOT_MODIFIED",
      formatInstant(START - DAY),
      "LAST_MODIFIED",
    ])
  })
})

describe("a mirror", () => {
  test.each(["with a tag", "without"])("%s confirms nothing: the list ages from its first retrieval", async (how) => {
    await using operator = await fetchBench()
    const files = sampleLists({ publishedAt: START })[SDN]
    if (how === "with a tag") operator.offer(SDN, files)
    else for (const { name, bytes } of files) operator.answer(SDN, name, file(bytes))
    await operator.round(SDN)
    operator.machine.set(START + 2 * DAY)
    const report = await operator.round(SDN)
    expect([report.outcome, report.active?.confirmedAt]).toEqual(["NOT_MODIFIED", null])
    expect(await operator.state(SDN)).toMatchObject({ freshness: "AGING", checkedAt: formatInstant(START) })
    operator.machine.set(START + 3 * DAY)
    await operator.round(SDN)
    expect((await operator.state(SDN)).health).toBe("STALE")
  })

  test("does not date a list by its header", async () => {
    await using operator = await fetchBench()
    operator.offer(CSL, sampleLists({ publishedAt: START })[CSL])
    const { active } = await operator.round(CSL)
    expect(active).toMatchObject({ publishedAt: null, publishedFrom: null, isSample: 1 })
  })
})

test("a set is as old as its oldest file, and undated if one file has no header or one from the future", () => {
  const at = (...texts: (string | null)[]) =>
    fromPublisher(
      texts.map((lastModified) => ({ lastModified })),
      START,
    )
  const text = (time: number) => new Date(time).toUTCString()
  expect(at(text(START - DAY), text(START - 2 * DAY))).toEqual({ lastModified: START - 2 * DAY })
  for (const undated of [[text(START), null], [text(START), "yesterday"], [text(START + DAY)], []])
    expect(at(...undated)).toEqual({ lastModified: null })
})
