/** What a directory takes as a list whose content is old. */
import { describe, expect, test } from "bun:test"
import { DAY, formatInstant } from "../../src/core/time.ts"
import { sampleSdnXml } from "../fixtures/sample-lists.ts"
import { hardCodes, importBench, START } from "./import-bench.ts"
import { audit, confirm, SDN, softCodes, state } from "./import-states.ts"
import { whole } from "./whole-list.ts"

describe("old content", () => {
  const old = (years = 5) => [sampleSdnXml({ publishedAt: START - years * 365 * DAY })]
  const given = { adapter: whole(SDN) }

  test.each(["live", "test"] as const)(
    "is STALE from its import in a %s directory, and the finding states it",
    async (environment) => {
      await using bench = importBench(environment)
      const taken = await bench.bring(SDN, old(), given)
      expect([taken.imported, softCodes(taken)]).toEqual([true, ["CONTENT_OLD"]])
      expect(taken.findings[0]?.detail).toContain("sources import with --accept-old REASON")
      expect(await state(bench, SDN)).toMatchObject({ health: "STALE", freshness: "STALE", isAccepted: false })
    },
  )

  test("is usable for one retrieval window after the operator accepted it, but never FRESH", async () => {
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
    // A new copy does not make it newer. A new acceptance does.
    bench.machine.set(START + 3 * DAY)
    const copied = await bench.bring(SDN, old(), given)
    expect([copied.rawSha256, (await state(bench, SDN)).health]).toEqual([taken.rawSha256, "STALE"])
    await bench.bring(SDN, old(), { ...given, acceptOld: "still needed" })
    expect((await state(bench, SDN)).health).toBe("HEALTHY")
    expect(audit(bench).map(({ reason }) => reason)).toEqual(["archive of the court case", "still needed"])
  })

  test("is STALE after that window, even if its publisher confirms it", async () => {
    await using bench = importBench("live")
    const { snapshotId } = await bench.bring(SDN, old(), { ...given, acceptOld: "archive of the court case" })
    const health = async (days: number) => {
      bench.machine.set(START + days * DAY)
      await confirm(bench, snapshotId, null)
      return (await state(bench, SDN)).health
    }
    const seen = [await health(1), await health(2), await health(3), await health(100)]
    expect(seen).toEqual(["HEALTHY", "HEALTHY", "STALE", "STALE"])
  })

  test("that was accepted in a test directory is a sample", async () => {
    await using bench = importBench("test")
    const taken = await bench.bring(SDN, old(), { ...given, acceptOld: "drill" })
    expect(taken.isSample).toBe(true)
    expect(await state(bench, SDN)).toMatchObject({ health: "HEALTHY", freshness: "AGING", isAccepted: false })
  })

  test("an unnecessary acceptance is reported and not recorded", async () => {
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

  test("an acceptance does not admit damaged bytes and is not recorded for them", async () => {
    await using bench = importBench("live")
    const [xml] = [sampleSdnXml({ publishedAt: START })]
    const cut = [{ ...xml, bytes: xml.bytes.subarray(0, 400) }]
    const refused = await bench.bring(SDN, cut, { acceptOld: "x", acceptSmall: "x" })
    expect([refused.imported, hardCodes(refused).includes("BELOW_EXPECTED")]).toEqual([false, false])
    expect(audit(bench)).toEqual([])
  })
})
