/** A bulk register goes through the same round as the lists. Its file is never held in memory, and a damaged one is fetched again. */
import { expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DAY, HOUR } from "../../../src/core/time.ts"
import { fetchRound } from "../../../src/sources/fetch/fetch-round.ts"
import { fetchTarget } from "../../../src/sources/fetch/fetch-target.ts"
import { planCompaniesHouse } from "../../../src/sources/fetch/plans/companies-house.ts"
import { snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { registerSource } from "../../../src/sources/import/source.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import { sourceCheck } from "../../../src/store/sources/source-checks.ts"
import { bulkFiles, type NamedBytes } from "../../fixtures/companies-house-file.ts"
import { file, internet, PUBLIC, partly } from "../../fixtures/publisher.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { START } from "../import-bench.ts"
import { fetchBench } from "./fetch-bench.ts"

const test = slowTests(import.meta.path)

const REGISTER = "UK_COMPANIES_HOUSE"

async function companiesHouseBench() {
  const operator = await fetchBench()
  return {
    ...operator,
    companiesHouseFiles(files: readonly NamedBytes[]): void {
      for (const { name, bytes } of files)
        operator.server.answer(`/${REGISTER}/${name}`, file(bytes, { ETag: `"${Bun.hash(bytes)}"` }))
    },
    fetchCompaniesHouse: () => fetchRound(fetchTarget(registerSource(ukCompaniesHouse), operator), operator.context()),
    checkCompaniesHouse: () => operator.store.read(() => sourceCheck(REGISTER)),
  }
}

test("the file of the month is fetched and imported, and later rounds only check for a new one", async () => {
  await using operator = await companiesHouseBench()
  operator.companiesHouseFiles(bulkFiles("zip", 300))
  const report = await operator.fetchCompaniesHouse()
  expect([report.outcome, report.active?.entries]).toEqual(["IMPORTED", 300])
  const manifest = JSON.parse(
    readFileSync(
      join(snapshotFolder(operator.root, REGISTER, report.active?.snapshotId ?? ""), "manifest.json"),
      "utf8",
    ),
  )
  expect(manifest).toMatchObject({ retrieved_by: "bizauth sources fetch", retrieved_at: operator.now() })
  operator.machine.set(START + DAY)
  expect((await operator.fetchCompaniesHouse()).outcome).toBe("NOT_MODIFIED")
  expect(await operator.checkCompaniesHouse()).toMatchObject({
    attemptedAt: operator.now(),
    checkedSnapshotId: report.active?.snapshotId ?? "",
  })
  expect(operator.server.requests.filter(({ headers }) => "if-none-match" in headers)).toHaveLength(1)
})

test("a truncated file changes nothing, a shrunken one is refused, and a damaged register is fetched again", async () => {
  await using operator = await companiesHouseBench()
  const [whole] = bulkFiles("zip", 300)
  operator.companiesHouseFiles(bulkFiles("zip", 300))
  const first = await operator.fetchCompaniesHouse()
  operator.machine.set(START + HOUR)
  const cut = Buffer.from(whole?.bytes ?? "").subarray(0, 1000)
  operator.server.answer(`/${REGISTER}/${whole?.name}`, partly({ "Content-Length": 5000 }, cut, true))
  expect(await operator.fetchCompaniesHouse()).toMatchObject({ outcome: "FAILED", code: "TRUNCATED" })
  operator.companiesHouseFiles(bulkFiles("zip", 100))
  expect(await operator.fetchCompaniesHouse()).toMatchObject({ outcome: "REFUSED", code: "SHRUNK" })
  expect((await operator.fetchCompaniesHouse()).active?.snapshotId).toBe(first.active?.snapshotId ?? "")
  operator.companiesHouseFiles(bulkFiles("zip", 300))
  expect((await operator.fetchCompaniesHouse()).outcome).toBe("NOT_MODIFIED")
  writeFileSync(
    join(snapshotFolder(operator.root, REGISTER, first.active?.snapshotId ?? ""), "register.sqlite"),
    "lost",
  )
  expect((await operator.fetchCompaniesHouse()).outcome).toBe("IMPORTED")
})

test("the downloads page names the newest month: the single file, and its parts if all of them are listed", async () => {
  await using operator = await fetchBench(true)
  const net = internet({ "download.companieshouse.gov.uk": [[PUBLIC]] }, operator.server.port)
  const network = {
    ...net,
    open: (dial: Parameters<typeof net.open>[0]) => net.open({ ...dial, serverName: "lists.example.test" }),
  }
  const planned = async (...names: string[]) => {
    const links = names.map((name) => `<li><a href="${name}">${name}  (69Mb)</a></li>`)
    operator.server.answer("/en_output.html", file(`<html><body><ul>${links.join("")}</ul></body></html>`))
    const { sets } = await planCompaniesHouse({
      transport: operator.context({ network }).transport,
      now: START,
      samKey: null,
    })
    return sets.map((set) => set.map(({ url }) => url.href))
  }
  const at = (name: string) => `https://download.companieshouse.gov.uk/${name}`
  const parts = [1, 2, 3].map((part) => `BasicCompanyData-2026-11-01-part${part}_3.zip`)
  const older = "BasicCompanyDataAsOneFile-2026-10-01.zip"
  const newest = "BasicCompanyDataAsOneFile-2026-11-01.zip"
  expect(await planned(older, ...parts.toReversed(), newest)).toEqual([[at(newest)], parts.map(at)])
  expect(await planned(...parts, older)).toEqual([parts.map(at)])
  expect(await planned(newest, parts[0] ?? "", parts[2] ?? "")).toEqual([[at(newest)]])
  await expect(planned("BasicCompanyData-2026-11-01-part1_3.zip", "readme.txt")).rejects.toMatchObject({
    code: "NOT_DATA",
  })
})
