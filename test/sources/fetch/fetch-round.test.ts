import { describe, expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zipSync } from "fflate"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../src/core/time.ts"
import { fetchRound } from "../../../src/sources/fetch/fetch-round.ts"
import { ImportBusy, withImportLock } from "../../../src/sources/import/import-lock.ts"
import { rollBack } from "../../../src/sources/import/roll-back.ts"
import { snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { listSource } from "../../../src/sources/import/source.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { SOURCE_IDS } from "../../../src/sources/records/party.ts"
import { file, internet, PUBLIC, partly, redirect, status } from "../../fixtures/publisher.ts"
import { sampleLists, sampleSdnXml } from "../../fixtures/sample-lists.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { START } from "../import-bench.ts"
import { CSL, type FetchBench, fetchBench, listTarget, SDN, UK } from "./fetch-bench.ts"

const test = slowTests(import.meta.path)
const lists = (operator: FetchBench, given: Parameters<typeof sampleLists>[0] | null = null) =>
  sampleLists(given ?? { publishedAt: operator.machine.now() })
/** Padded with a comment to more than the least length of a publication. */
function zipOf(xml: Uint8Array) {
  const padded = Buffer.concat([xml, Buffer.from(`<!--${"x".repeat(1_200_000)}-->`)])
  return zipSync({ "SDN.XML": [padded, { level: 0, mtime: START }] })
}
const MARLOWE = { number: 90101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }

test("every list is fetched from a mirror and imported, and its row keeps the time and the tags for the next round", async () => {
  await using operator = await fetchBench()
  for (const id of SOURCE_IDS) operator.offer(id, lists(operator)[id])
  for (const id of SOURCE_IDS) {
    const report = await operator.round(id)
    expect([id, report.outcome, report.brought?.imported]).toEqual([id, "IMPORTED", true])
    expect(await operator.check(id)).toMatchObject({
      outcome: "IMPORTED",
      attemptedAt: operator.now(),
      checkedAt: operator.now(),
      checkedSnapshotId: (await operator.active(id))?.snapshotId ?? "",
      failures: 0,
      code: null,
    })
    expect([operator.staging(id), (await operator.state(id)).health]).toEqual([false, "HEALTHY"])
  }
})

test("the snapshot keeps the address of each file, its tag and the command that fetched it", async () => {
  await using operator = await fetchBench()
  operator.offer(CSL, lists(operator)[CSL])
  const { active } = await operator.round(CSL)
  const folder = snapshotFolder(operator.root, CSL, active?.snapshotId ?? "")
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"))
  expect(manifest).toMatchObject({ retrieved_by: "bizauth sources fetch", retrieved_at: operator.now() })
  const [kept] = manifest.files
  expect(kept).toMatchObject({ name: "consolidated.csv", last_modified: operator.now() })
  expect(kept.url).toBe(`http://127.0.0.1:${operator.server.port}/${CSL}/consolidated.csv`)
  expect(kept.etag).toMatch(/^"\d+"$/)
})

describe("a round without a new publication", () => {
  test("with 304 for every file imports nothing and updates the time of the check", async () => {
    await using operator = await fetchBench()
    operator.offer(SDN, lists(operator)[SDN])
    await operator.round(SDN)
    const before = await operator.untouched(SDN)
    operator.machine.set(START + HOUR)
    const requests = operator.server.requests.length
    const report = await operator.round(SDN)
    expect([report.outcome, report.brought]).toEqual(["NOT_MODIFIED", null])
    expect(await operator.untouched(SDN)).toEqual(before)
    expect(await operator.check(SDN)).toMatchObject({
      outcome: "NOT_MODIFIED",
      attemptedAt: operator.now(),
      filesCheckedAt: operator.now(),
    })
    const conditional = operator.server.requests.slice(requests).filter(({ headers }) => "if-none-match" in headers)
    expect(conditional.map(({ path }) => path)).toEqual(
      ["sdn.csv", "add.csv", "alt.csv", "sdn_comments.csv"].map((name) => `/${SDN}/${name}`),
    )
  })

  test("with the same bytes from a publisher without tags imports nothing", async () => {
    await using operator = await fetchBench()
    const [list] = lists(operator)[UK]
    operator.answer(UK, "UK-Sanctions-List.csv", file(list?.bytes ?? ""))
    await operator.round(UK)
    const before = await operator.untouched(UK)
    operator.machine.set(START + HOUR)
    expect((await operator.round(UK)).outcome).toBe("NOT_MODIFIED")
    expect(await operator.untouched(UK)).toEqual(before)
    expect(await operator.check(UK)).toMatchObject({ attemptedAt: operator.now(), outcome: "NOT_MODIFIED" })
  })

  test("with one changed file fetches the whole set", async () => {
    await using operator = await fetchBench()
    operator.offer(SDN, lists(operator)[SDN])
    await operator.round(SDN)
    operator.machine.set(START + HOUR)
    operator.offer(
      SDN,
      lists(operator, { publishedAt: START, extraSdn: [{ ...MARLOWE, aliases: [{ kind: "aka", name: "Z M S" }] }] })[
        SDN
      ],
    )
    const requests = operator.server.requests.length
    expect((await operator.round(SDN)).active?.entries).toBe(6)
    // Only the comments were unchanged: requested with their tag, then without it.
    const comments = operator.server.requests.slice(requests).filter(({ path }) => path.endsWith("sdn_comments.csv"))
    expect(comments.map(({ headers }) => "if-none-match" in headers)).toEqual([true, false])
  })

  test("with a damaged snapshot fetches it again, even if the publisher reports no change", async () => {
    await using operator = await fetchBench()
    operator.offer(CSL, lists(operator)[CSL])
    const first = await operator.round(CSL)
    writeFileSync(join(snapshotFolder(operator.root, CSL, first.active?.snapshotId ?? ""), "consolidated.csv"), "lost")
    expect((await operator.state(CSL)).health).toBe("UNAVAILABLE")
    operator.machine.set(START + HOUR)
    expect((await operator.round(CSL)).outcome).toBe("IMPORTED")
    expect((await operator.state(CSL)).health).toBe("HEALTHY")
  })

  test("with another version of the parser imports the same bytes again", async () => {
    await using operator = await fetchBench()
    operator.offer(CSL, lists(operator)[CSL])
    await operator.round(CSL)
    operator.machine.set(START + HOUR)
    const target = listTarget({ ...ADAPTERS[CSL], parserVersion: "us-trade-csl/9.9.9" }, operator)
    expect((await fetchRound(target, operator.context())).outcome).toBe("IMPORTED")
  })
})

describe("after a rollback", () => {
  async function rolledBack() {
    const operator = await fetchBench()
    operator.offer(SDN, lists(operator)[SDN])
    const first = await operator.round(SDN)
    operator.machine.set(START + HOUR)
    operator.offer(SDN, lists(operator, { publishedAt: START, extraSdn: [MARLOWE] })[SDN])
    await operator.round(SDN)
    await rollBack({ ...operator, source: listSource(ADAPTERS[SDN]) })
    return { operator, first }
  }

  test("a 304 for the withdrawn list does not count, and its bytes are not imported again by a round", async () => {
    const { operator, first } = await rolledBack()
    await using _ = operator
    const confirmed = await operator.check(SDN)
    operator.machine.set(START + 2 * HOUR)
    const report = await operator.round(SDN)
    expect([report.outcome, report.code]).toEqual(["REFUSED", "WITHDRAWN"])
    expect((await operator.active(SDN))?.snapshotId).toBe(first.active?.snapshotId ?? "")
    expect(await operator.check(SDN)).toMatchObject({
      checkedAt: confirmed?.checkedAt ?? "",
      checkedSnapshotId: confirmed?.checkedSnapshotId ?? "",
    })
  })

  test("the withdrawn bytes are refused even if they were imported with a README beside them", async () => {
    await using operator = await fetchBench()
    operator.offer(SDN, lists(operator)[SDN])
    const first = await operator.round(SDN)
    operator.machine.set(START + HOUR)
    const bad = lists(operator, { publishedAt: START, extraSdn: [MARLOWE] })[SDN]
    await operator.bring(SDN, [...bad, { name: "README.txt", bytes: new TextEncoder().encode("by hand") }])
    await rollBack({ ...operator, source: listSource(ADAPTERS[SDN]) })
    operator.offer(SDN, bad)
    const report = await operator.round(SDN)
    expect([report.outcome, report.code]).toEqual(["REFUSED", "WITHDRAWN"])
    expect((await operator.active(SDN))?.snapshotId).toBe(first.active?.snapshotId ?? "")
  })

  test("the next publication is imported", async () => {
    const { operator } = await rolledBack()
    await using _ = operator
    operator.machine.set(START + 2 * HOUR)
    operator.offer(
      SDN,
      lists(operator, { publishedAt: START, extraSdn: [{ ...MARLOWE, name: "ZEPHYR MARLOWE TRUST" }] })[SDN],
    )
    expect((await operator.round(SDN)).outcome).toBe("IMPORTED")
  })
})

describe("the publisher's own addresses", () => {
  const store = "files.example.test"
  const names = { "sanctionslistservice.ofac.treas.gov": [[PUBLIC]], "files.example.test": [["2606:4700::1111"]] }

  /** Tests cannot make certificates of a real publisher, so their network reaches it under a name with a certificate. */
  async function treasury() {
    const operator = await fetchBench(true)
    const net = internet(names, operator.server.port)
    const open = net.open
    net.open = (dial) => open({ ...dial, serverName: "lists.example.test" })
    const exported = "/api/PublicationPreview/exports/SDN_XML.ZIP"
    operator.server.answer(exported, redirect(`https://${store}/SDN_XML.ZIP?X-Amz-Signature=s1gned`))
    return { operator, net, exported, news: (text: string) => operator.server.answer("/changes/latest", file(text)) }
  }

  test("the cheap request comes first, counts for six hours, and its failure stops nothing", async () => {
    const { operator, net, news } = await treasury()
    await using _ = operator
    const zipped = zipOf(sampleSdnXml({ publishedAt: START }).bytes)
    operator.server.answer("/SDN_XML.ZIP", file(zipped, { ETag: '"z"' }))
    news("2026-11-20_delta")
    expect((await operator.round(SDN, { network: net })).outcome).toBe("IMPORTED")
    const paths = () => operator.server.requests.splice(0).map(({ path }) => path.split("/").at(-1)?.split("?")[0])
    expect(paths()).toEqual(["latest", "SDN_XML.ZIP", "SDN_XML.ZIP"])
    operator.machine.set(START + 5 * HOUR)
    expect((await operator.round(SDN, { network: net })).outcome).toBe("NOT_MODIFIED")
    expect(paths()).toEqual(["latest"])
    expect(await operator.check(SDN)).toMatchObject({ checkedAt: operator.now(), filesCheckedAt: formatInstant(START) })
    operator.machine.set(START + 6 * HOUR)
    expect((await operator.round(SDN, { network: net })).outcome).toBe("NOT_MODIFIED")
    expect(paths()).toEqual(["latest", "SDN_XML.ZIP", "SDN_XML.ZIP"])
    operator.machine.set(START + 7 * HOUR)
    news("2026-11-21_delta")
    expect((await operator.round(SDN, { network: net })).outcome).toBe("NOT_MODIFIED")
    expect(paths()).toEqual(["latest", "SDN_XML.ZIP", "SDN_XML.ZIP"])
    operator.server.answer("/changes/latest", null)
    expect((await operator.round(SDN, { network: net })).outcome).toBe("NOT_MODIFIED")
  })

  test("the stored and reported address contains neither its query nor a signature", async () => {
    const { operator, net } = await treasury()
    await using _ = operator
    operator.server.answer("/SDN_XML.ZIP", partly({ "Content-Length": 5_000_000 }, "PK\u0003\u0004", true))
    const report = await operator.round(SDN, { network: net })
    expect([report.code, report.detail]).toEqual(["TRUNCATED", expect.stringContaining(`https://${store}/SDN_XML.ZIP`)])
    expect(JSON.stringify([report, await operator.check(SDN)])).not.toContain("s1gned")
  })

  test("a form that the Treasury does not serve is replaced by the next form", async () => {
    const { operator, net, exported } = await treasury()
    await using _ = operator
    operator.server.answer(exported, status(404))
    const report = await operator.round(SDN, { network: net })
    expect([report.code, report.detail]).toEqual(["NOT_FOUND", expect.stringContaining("SDN_XML.ZIP")])
    expect(operator.server.requests.map(({ path }) => path.split("/").at(-1))).toEqual([
      "latest",
      "SDN_XML.ZIP",
      "SDN.XML",
      "SDN.CSV",
    ])
  })
})

test("no round asks a publisher before the end of its Retry-After", async () => {
  await using operator = await fetchBench()
  operator.answer(CSL, "consolidated.csv", status(429, { "Retry-After": "600" }))
  const until = formatInstant(START + 10 * MINUTE)
  expect(await operator.round(CSL)).toMatchObject({ outcome: "FAILED", code: "ASKED_TO_WAIT", retryAfterUntil: until })
  expect(await operator.check(CSL)).toMatchObject({ failures: 1, retryAfterUntil: until })
  operator.offer(CSL, lists(operator)[CSL])
  operator.machine.set(START + 10 * MINUTE - 1)
  expect(await operator.round(CSL)).toMatchObject({ outcome: "FAILED", code: "ASKED_TO_WAIT", retryAfterUntil: until })
  expect([operator.server.requests.length, (await operator.check(CSL))?.failures]).toEqual([1, 1])
  operator.machine.set(START + 10 * MINUTE)
  expect((await operator.round(CSL)).outcome).toBe("IMPORTED")
  expect(await operator.check(CSL)).toMatchObject({ failures: 0, retryAfterUntil: null })
})

test("two rounds of one source never run at once; another source can run, and a running import is reported", async () => {
  await using operator = await fetchBench()
  for (const id of [CSL, UK] as const) operator.offer(id, lists(operator)[id])
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const slow = fetchRound(
    {
      ...listTarget(ADAPTERS[CSL], operator),
      plan: async () => {
        begun.resolve()
        await held.promise
        return { sets: [], news: null }
      },
    },
    operator.context(),
  )
  await begun.promise
  await expect(operator.round(CSL)).rejects.toBeInstanceOf(ImportBusy)
  expect((await operator.round(UK)).outcome).toBe("IMPORTED")
  held.resolve()
  expect((await slow).code).toBe("NOT_FOUND")
  await withImportLock(operator.root, async () => {
    await expect(operator.round(CSL)).rejects.toBeInstanceOf(ImportBusy)
    expect([operator.staging(CSL), await operator.active(CSL)]).toEqual([false, null])
  })
})

test("the extract of a day is requested by name up to three days back", async () => {
  await using operator = await fetchBench()
  const id = "US_SAM_EXCLUSIONS"
  operator.machine.set(START + 2 * DAY)
  operator.offer(id, sampleLists({ publishedAt: START })[id])
  expect((await operator.round(id)).outcome).toBe("IMPORTED")
  operator.machine.set(START + 3 * DAY)
  expect((await operator.round(id)).outcome).toBe("NOT_MODIFIED")
  operator.machine.set(START + 4 * DAY)
  expect(await operator.round(id)).toMatchObject({ outcome: "FAILED", code: "NOT_FOUND" })
})
