import { describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zipSync } from "fflate"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../src/core/time.ts"
import { fetchRound } from "../../../src/sources/fetch/fetch-round.ts"
import { listTarget } from "../../../src/sources/fetch/fetch-target.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { ImportBusy, withImportLock } from "../../../src/sources/publication/import-lock.ts"
import { rollBack } from "../../../src/sources/publication/roll-back.ts"
import { snapshotFolder } from "../../../src/sources/publication/snapshot-files.ts"
import { SOURCE_IDS } from "../../../src/sources/records/party.ts"
import { file, internet, PUBLIC, partly, redirect, status } from "../../fixtures/publisher.ts"
import { sampleLists, sampleSdnXml } from "../../fixtures/sample-lists.ts"
import { START } from "../import-bench.ts"
import { CSL, type FetchBench, fetchBench, SDN, UK } from "./fetch-bench.ts"

const lists = (desk: FetchBench, given: Parameters<typeof sampleLists>[0] | null = null) =>
  sampleLists(given ?? { publishedAt: desk.machine.now() })
/** Padded with a comment to more than the least length of a publication. */
const zipOf = (xml: Uint8Array) =>
  zipSync({
    "SDN.XML": [Buffer.concat([xml, Buffer.from(`<!--${"x".repeat(1_200_000)}-->`)]), { level: 0, mtime: START }],
  })
const MARLOWE = { number: 90101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }

test("every list is fetched from a mirror and imported, and its row keeps the time and the tags for the next round", async () => {
  await using desk = await fetchBench()
  for (const id of SOURCE_IDS) desk.offer(id, lists(desk)[id])
  for (const id of SOURCE_IDS) {
    const report = await desk.round(id)
    expect([id, report.outcome, report.brought?.imported]).toEqual([id, "IMPORTED", true])
    const active = await desk.active(id)
    expect(await desk.check(id)).toMatchObject({
      outcome: "IMPORTED",
      attemptedAt: desk.now(),
      checkedAt: desk.now(),
      checkedSnapshotId: active?.snapshotId ?? "",
      failures: 0,
      code: null,
    })
    expect([desk.staging(id), (await desk.state(id)).health]).toEqual([false, "HEALTHY"])
  }
})

test("the snapshot keeps the address of each file, its tag and the command that fetched it", async () => {
  await using desk = await fetchBench()
  desk.offer(CSL, lists(desk)[CSL])
  const { active } = await desk.round(CSL)
  const folder = snapshotFolder(desk.root, CSL, active?.snapshotId ?? "")
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"))
  expect(manifest).toMatchObject({ retrieved_by: "bizauth sources fetch", retrieved_at: desk.now() })
  const [kept] = manifest.files
  expect(kept).toMatchObject({ name: "consolidated.csv", last_modified: desk.now() })
  expect(kept.url).toBe(`http://127.0.0.1:${desk.server.port}/${CSL}/consolidated.csv`)
  expect(kept.etag).toMatch(/^"\d+"$/)
})

describe("a round without a new publication", () => {
  test("with 304 for every file imports nothing and updates the time of the check", async () => {
    await using desk = await fetchBench()
    desk.offer(SDN, lists(desk)[SDN])
    await desk.round(SDN)
    const before = await desk.untouched(SDN)
    desk.machine.set(START + HOUR)
    const asked = desk.server.asked.length
    const report = await desk.round(SDN)
    expect([report.outcome, report.brought]).toEqual(["NOT_MODIFIED", null])
    expect(await desk.untouched(SDN)).toEqual(before)
    expect(await desk.check(SDN)).toMatchObject({
      outcome: "NOT_MODIFIED",
      attemptedAt: desk.now(),
      filesCheckedAt: desk.now(),
    })
    const conditional = desk.server.asked.slice(asked).filter(({ headers }) => "if-none-match" in headers)
    expect(conditional.map(({ path }) => path)).toEqual(
      ["sdn.csv", "add.csv", "alt.csv", "sdn_comments.csv"].map((name) => `/${SDN}/${name}`),
    )
  })

  test("with the same bytes from a publisher without tags imports nothing", async () => {
    await using desk = await fetchBench()
    const [list] = lists(desk)[UK]
    desk.answer(UK, "UK-Sanctions-List.csv", file(list?.bytes ?? ""))
    await desk.round(UK)
    const before = await desk.untouched(UK)
    desk.machine.set(START + HOUR)
    expect((await desk.round(UK)).outcome).toBe("NOT_MODIFIED")
    expect(await desk.untouched(UK)).toEqual(before)
    expect(await desk.check(UK)).toMatchObject({ attemptedAt: desk.now(), outcome: "NOT_MODIFIED" })
  })

  test("with one changed file fetches the whole set", async () => {
    await using desk = await fetchBench()
    desk.offer(SDN, lists(desk)[SDN])
    await desk.round(SDN)
    desk.machine.set(START + HOUR)
    desk.offer(
      SDN,
      lists(desk, { publishedAt: START, extraSdn: [{ ...MARLOWE, aliases: [{ kind: "aka", name: "Z M S" }] }] })[SDN],
    )
    const asked = desk.server.asked.length
    expect((await desk.round(SDN)).active?.entries).toBe(6)
    // Only the comments were unchanged: requested with their tag, then without it.
    const comments = desk.server.asked.slice(asked).filter(({ path }) => path.endsWith("sdn_comments.csv"))
    expect(comments.map(({ headers }) => "if-none-match" in headers)).toEqual([true, false])
  })

  test("with a damaged snapshot fetches it again, even if the publisher reports no change", async () => {
    await using desk = await fetchBench()
    desk.offer(CSL, lists(desk)[CSL])
    const first = await desk.round(CSL)
    writeFileSync(join(snapshotFolder(desk.root, CSL, first.active?.snapshotId ?? ""), "consolidated.csv"), "lost")
    expect((await desk.state(CSL)).health).toBe("UNAVAILABLE")
    desk.machine.set(START + HOUR)
    expect((await desk.round(CSL)).outcome).toBe("IMPORTED")
    expect((await desk.state(CSL)).health).toBe("HEALTHY")
  })

  test("with another version of the parser imports the same bytes again", async () => {
    await using desk = await fetchBench()
    desk.offer(CSL, lists(desk)[CSL])
    await desk.round(CSL)
    desk.machine.set(START + HOUR)
    const target = listTarget({ ...ADAPTERS[CSL], parserVersion: "us-trade-csl/9.9.9" }, desk)
    expect((await fetchRound(target, desk.context())).outcome).toBe("IMPORTED")
  })
})

describe("after a rollback", () => {
  async function rolledBack() {
    const desk = await fetchBench()
    desk.offer(SDN, lists(desk)[SDN])
    const first = await desk.round(SDN)
    desk.machine.set(START + HOUR)
    desk.offer(SDN, lists(desk, { publishedAt: START, extraSdn: [MARLOWE] })[SDN])
    await desk.round(SDN)
    await rollBack({ ...desk, adapter: ADAPTERS[SDN] })
    return { desk, first }
  }

  test("a 304 for the withdrawn list does not count, and its bytes are not imported again by a round", async () => {
    const { desk, first } = await rolledBack()
    await using _ = desk
    const confirmed = await desk.check(SDN)
    desk.machine.set(START + 2 * HOUR)
    const report = await desk.round(SDN)
    expect([report.outcome, report.code]).toEqual(["REFUSED", "WITHDRAWN"])
    expect((await desk.active(SDN))?.snapshotId).toBe(first.active?.snapshotId ?? "")
    expect(await desk.check(SDN)).toMatchObject({
      checkedAt: confirmed?.checkedAt ?? "",
      checkedSnapshotId: confirmed?.checkedSnapshotId ?? "",
    })
  })

  test("the withdrawn bytes are refused even if they were imported with a README beside them", async () => {
    await using desk = await fetchBench()
    desk.offer(SDN, lists(desk)[SDN])
    const first = await desk.round(SDN)
    desk.machine.set(START + HOUR)
    const bad = lists(desk, { publishedAt: START, extraSdn: [MARLOWE] })[SDN]
    await desk.bring(SDN, [...bad, { name: "README.txt", bytes: new TextEncoder().encode("by hand") }])
    await rollBack({ ...desk, adapter: ADAPTERS[SDN] })
    desk.offer(SDN, bad)
    const report = await desk.round(SDN)
    expect([report.outcome, report.code]).toEqual(["REFUSED", "WITHDRAWN"])
    expect((await desk.active(SDN))?.snapshotId).toBe(first.active?.snapshotId ?? "")
  })

  test("the next publication is imported", async () => {
    const { desk } = await rolledBack()
    await using _ = desk
    desk.machine.set(START + 2 * HOUR)
    desk.offer(SDN, lists(desk, { publishedAt: START, extraSdn: [{ ...MARLOWE, name: "ZEPHYR MARLOWE TRUST" }] })[SDN])
    expect((await desk.round(SDN)).outcome).toBe("IMPORTED")
  })
})

describe("the publisher's own addresses", () => {
  const store = "files.example.test"
  const names = { "sanctionslistservice.ofac.treas.gov": [[PUBLIC]], "files.example.test": [["2606:4700::1111"]] }

  /** Tests cannot make certificates of a real publisher, so their network reaches it under a name with a certificate. */
  async function treasury() {
    const desk = await fetchBench(true)
    const net = internet(names, desk.server.port)
    const open = net.open
    net.open = (dial) => open({ ...dial, serverName: "lists.example.test" })
    const exported = "/api/PublicationPreview/exports/SDN_XML.ZIP"
    desk.server.answer(exported, redirect(`https://${store}/SDN_XML.ZIP?X-Amz-Signature=s1gned`))
    return { desk, net, exported, news: (text: string) => desk.server.answer("/changes/latest", file(text)) }
  }

  test("the cheap request comes first, counts for six hours, and its failure stops nothing", async () => {
    const { desk, net, news } = await treasury()
    await using _ = desk
    const zipped = zipOf(sampleSdnXml({ publishedAt: START }).bytes)
    desk.server.answer("/SDN_XML.ZIP", file(zipped, { ETag: '"z"' }))
    news("2026-11-20_delta")
    expect((await desk.round(SDN, { network: net })).outcome).toBe("IMPORTED")
    const paths = () => desk.server.asked.splice(0).map(({ path }) => path.split("/").at(-1)?.split("?")[0])
    expect(paths()).toEqual(["latest", "SDN_XML.ZIP", "SDN_XML.ZIP"])
    desk.machine.set(START + 5 * HOUR)
    expect((await desk.round(SDN, { network: net })).outcome).toBe("NOT_MODIFIED")
    expect(paths()).toEqual(["latest"])
    expect(await desk.check(SDN)).toMatchObject({ checkedAt: desk.now(), filesCheckedAt: formatInstant(START) })
    desk.machine.set(START + 6 * HOUR)
    expect((await desk.round(SDN, { network: net })).outcome).toBe("NOT_MODIFIED")
    expect(paths()).toEqual(["latest", "SDN_XML.ZIP", "SDN_XML.ZIP"])
    desk.machine.set(START + 7 * HOUR)
    news("2026-11-21_delta")
    expect((await desk.round(SDN, { network: net })).outcome).toBe("NOT_MODIFIED")
    expect(paths()).toEqual(["latest", "SDN_XML.ZIP", "SDN_XML.ZIP"])
    desk.server.answer("/changes/latest", null)
    expect((await desk.round(SDN, { network: net })).outcome).toBe("NOT_MODIFIED")
  })

  test("the stored and reported address contains neither its query nor a signature", async () => {
    const { desk, net } = await treasury()
    await using _ = desk
    desk.server.answer("/SDN_XML.ZIP", partly({ "Content-Length": 5_000_000 }, "PK\u0003\u0004", true))
    const report = await desk.round(SDN, { network: net })
    expect([report.code, report.detail]).toEqual(["TRUNCATED", expect.stringContaining(`https://${store}/SDN_XML.ZIP`)])
    expect(JSON.stringify([report, await desk.check(SDN)])).not.toContain("s1gned")
  })

  test("a form that the Treasury does not serve is replaced by the next form", async () => {
    const { desk, net, exported } = await treasury()
    await using _ = desk
    desk.server.answer(exported, status(404))
    const report = await desk.round(SDN, { network: net })
    expect([report.code, report.detail]).toEqual(["NOT_FOUND", expect.stringContaining("SDN_XML.ZIP")])
    expect(desk.server.asked.map(({ path }) => path.split("/").at(-1))).toEqual([
      "latest",
      "SDN_XML.ZIP",
      "SDN.XML",
      "SDN.CSV",
    ])
  })
})

test("no round asks a publisher before the end of its Retry-After", async () => {
  await using desk = await fetchBench()
  desk.answer(CSL, "consolidated.csv", status(429, { "Retry-After": "600" }))
  const until = formatInstant(START + 10 * MINUTE)
  expect(await desk.round(CSL)).toMatchObject({ outcome: "FAILED", code: "ASKED_TO_WAIT", retryAfterUntil: until })
  expect(await desk.check(CSL)).toMatchObject({ failures: 1, retryAfterUntil: until })
  desk.offer(CSL, lists(desk)[CSL])
  desk.machine.set(START + 10 * MINUTE - 1)
  expect(await desk.round(CSL)).toMatchObject({ outcome: "FAILED", code: "ASKED_TO_WAIT", retryAfterUntil: until })
  expect([desk.server.asked.length, (await desk.check(CSL))?.failures]).toEqual([1, 1])
  desk.machine.set(START + 10 * MINUTE)
  expect((await desk.round(CSL)).outcome).toBe("IMPORTED")
  expect(await desk.check(CSL)).toMatchObject({ failures: 0, retryAfterUntil: null })
})

test("two rounds of one source never run at once; another source can run, and a running import is reported", async () => {
  await using desk = await fetchBench()
  for (const id of [CSL, UK] as const) desk.offer(id, lists(desk)[id])
  const held = Promise.withResolvers<void>()
  const slow = fetchRound(
    {
      ...listTarget(ADAPTERS[CSL], desk),
      plan: async () => {
        await held.promise
        return { sets: [], news: null }
      },
    },
    desk.context(),
  )
  await Bun.sleep(0)
  await expect(desk.round(CSL)).rejects.toBeInstanceOf(ImportBusy)
  expect((await desk.round(UK)).outcome).toBe("IMPORTED")
  held.resolve()
  expect((await slow).code).toBe("NOT_FOUND")
  await withImportLock(desk.root, async () => {
    await expect(desk.round(CSL)).rejects.toBeInstanceOf(ImportBusy)
    expect([desk.staging(CSL), await desk.active(CSL)]).toEqual([false, null])
  })
})

test("the extract of a day is looked for by name up to three days back", async () => {
  await using desk = await fetchBench()
  const id = "US_SAM_EXCLUSIONS"
  desk.machine.set(START + 2 * DAY)
  desk.offer(id, sampleLists({ publishedAt: START })[id])
  expect((await desk.round(id)).outcome).toBe("IMPORTED")
  desk.machine.set(START + 3 * DAY)
  expect((await desk.round(id)).outcome).toBe("NOT_MODIFIED")
  desk.machine.set(START + 4 * DAY)
  expect(await desk.round(id)).toMatchObject({ outcome: "FAILED", code: "NOT_FOUND" })
})
