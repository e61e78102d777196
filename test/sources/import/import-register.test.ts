import { describe, expect } from "bun:test"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digestBytes, digestFiles } from "../../../src/core/digest.ts"
import { DAY } from "../../../src/core/time.ts"
import { ImportBusy, withImportLock } from "../../../src/sources/import/import-lock.ts"
import { NoRoom } from "../../../src/sources/import/room.ts"
import type { Finding } from "../../../src/sources/records/adapter.ts"
import {
  bulkCsv,
  bulkFiles,
  companyCells,
  companyNumber,
  type NamedBytes,
} from "../../fixtures/companies-house-file.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { unfinished, watchedWork } from "../../fixtures/watched-work.ts"
import { REGISTER, registerBench } from "./register-bench.ts"

const test = slowTests(import.meta.path)

const ROWS = 300

function codes(findings: readonly Finding[], severity: Finding["severity"]): string[] {
  return [...new Set(findings.filter((finding) => finding.severity === severity).map(({ code }) => code))].sort()
}

describe("an import", () => {
  test("of one archive, of seven archives and of a bare CSV gives equal records", async () => {
    const answers: unknown[] = []
    for (const form of ["zip", "parts", "csv"] as const) {
      await using bench = registerBench()
      const report = await bench.bringCompaniesHouse(bulkFiles(form, ROWS))
      expect([report.imported, report.entries, report.version]).toEqual([true, ROWS, "2026-11-01"])
      expect(report.sourceTimestamp).toBe("2026-11-01T00:00:00.000Z")
      expect(codes(report.findings, "soft")).toEqual(
        form === "csv" ? ["BELOW_EXPECTED", "END_UNPROVEN"] : ["BELOW_EXPECTED"],
      )
      answers.push(
        await bench.ask((registers) =>
          Array.from({ length: ROWS }, (_, row) => registers.find(REGISTER, "number", companyNumber(row))),
        ),
      )
    }
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]).toEqual(answers[2])
    expect(answers[0]).not.toContain(null)
  })

  test("stores the publisher's files byte for byte, and describes them", async () => {
    await using bench = registerBench()
    const files = bulkFiles("parts", ROWS)
    const report = await bench.bringCompaniesHouse(files)
    const folder = join(bench.companiesHouseFiles, report.snapshotId ?? "")
    for (const { name, bytes } of files) expect(digestBytes(readFileSync(join(folder, name)))).toBe(digestBytes(bytes))
    const named = files.map(({ name, bytes }) => ({ name, sha256: digestBytes(bytes).slice(7) }))
    expect(report.rawSha256).toBe(digestFiles(named))
    const row = await bench.active(REGISTER as never)
    expect(row?.partiesSha256).toBe(digestBytes(readFileSync(join(folder, "register.sqlite"))))
    expect(statSync(join(folder, "register.sqlite")).mode & 0o777).toBe(0o600)
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"))
    expect(manifest).toMatchObject({ format: "svc-snapshot-1", source_id: REGISTER, source_version: "2026-11-01" })
    expect(manifest.files.map(({ name }: { name: string }) => name)).toEqual(files.map(({ name }) => name))
  })

  test("of a stored snapshot works elsewhere with its own retrieval time, but not after a change of one byte", async () => {
    await using bench = registerBench()
    await using other = registerBench()
    const { snapshotId, retrievedAt } = await bench.bringCompaniesHouse(bulkFiles("zip", ROWS), {
      modifiedAt: bench.machine.now() - 5 * DAY,
    })
    const folder = join(bench.companiesHouseFiles, snapshotId ?? "")
    expect((await other.importPaths([folder])).retrievedAt).toBe(retrievedAt)
    const zip = join(folder, "BasicCompanyDataAsOneFile-2026-11-01.zip")
    const bytes = readFileSync(zip)
    bytes[200] = (bytes[200] ?? 0) ^ 1
    writeFileSync(zip, bytes)
    const refused = await other.importPaths([folder])
    expect([refused.imported, codes(refused.findings, "hard")]).toEqual([false, ["CORRUPT"]])
  })

  test("reports each of its steps, and counts all bytes that it copies and digests", async () => {
    await using bench = registerBench()
    const { work, steps } = watchedWork()
    await bench.bringCompaniesHouse(bulkFiles("csv", 5000), { work })
    expect(steps.map(({ what }) => what)).toEqual([
      "copying the files",
      "reading the rows",
      "building the index",
      "comparing with the register in use",
      "computing the digest of the register",
    ])
    // Rows are counted from time to time, so the last ones may be missing.
    const [read] = unfinished(steps)
    expect([unfinished(steps).length, read?.what]).toEqual([1, "reading the rows"])
    expect(read?.done).toBeGreaterThan(0)
    expect(read?.done).toBeLessThan(read?.total ?? 0)
  })

  test("is refused before anything is written if the disk has too little room", async () => {
    await using bench = registerBench()
    const folder = bench.folder(bulkFiles("zip", ROWS))
    const brought = bench.importPaths([folder], { free: () => 1_000_000 })
    await expect(brought).rejects.toThrow(NoRoom)
    await expect(brought).rejects.toThrow(/needs \d+ bytes free in .*, which has 1000000/)
    expect(readdirSync(bench.companiesHouseFiles)).toEqual(["import.lock"])
    expect(bench.events()).toEqual([])
  })

  test("runs only once per register at a time, and does not block another source", async () => {
    await using bench = registerBench()
    await withImportLock(bench.companiesHouseFiles, async () => {
      await expect(bench.bringCompaniesHouse(bulkFiles("zip", ROWS))).rejects.toThrow(ImportBusy)
      expect((await bench.bring("US_OFAC_SDN", bench.sdn())).imported).toBe(true)
    })
  })

  test("keeps three good snapshots and nothing else", async () => {
    await using bench = registerBench()
    const ids: (string | null)[] = []
    for (let index = 0; index < 5; index++) {
      bench.machine.set(bench.machine.now() + 1000)
      ids.push((await bench.bringCompaniesHouse(bulkFiles("zip", ROWS + index))).snapshotId)
    }
    expect(readdirSync(bench.companiesHouseFiles).sort()).toEqual(["import.lock", ...ids.slice(2)].sort() as string[])
  })
})

describe("a publication is refused and the old one stays in use if", () => {
  const change = (row: number, cells: Record<string, string>) => bulkFiles("zip", ROWS, { changes: { [row]: cells } })
  const renamed = (from: string, to: string) => csvFile(bulkCsv(ROWS).replace(from, to))
  const csvFile = (text: string): readonly NamedBytes[] => [
    { name: "BasicCompanyDataAsOneFile-2026-11-01.csv", bytes: new TextEncoder().encode(text) },
  ]
  const [zip] = bulkFiles("zip", ROWS)
  const parts = bulkFiles("parts", ROWS)
  const cutZip = (length: number) => [
    { name: zip?.name ?? "", bytes: (zip?.bytes ?? new Uint8Array()).slice(0, length) },
  ]
  const many = Array.from({ length: 4 }, (_, row) => [row * 7, { IncorporationDate: "2020-01-02" }] as const)
  const rows: readonly [what: string, files: readonly NamedBytes[], hard: readonly string[]][] = [
    ["a column is missing", renamed("CompanyStatus,", "State,"), ["SCHEMA_BREAK"]],
    ["a column occurs twice", renamed("CountryOfOrigin", "CompanyStatus"), ["SCHEMA_BREAK"]],
    ["there is no header", csvFile(bulkCsv(ROWS).slice(bulkCsv(0).length)), ["SCHEMA_BREAK"]],
    ["dates have another form", bulkFiles("zip", ROWS, { changes: Object.fromEntries(many) }), ["SCHEMA_BREAK"]],
    ["a number lost its zeros", change(3, { CompanyNumber: "123" }), ["SCHEMA_BREAK"]],
    ["a row has too few cells", csvFile(`${bulkCsv(ROWS)}"a","b"\r\n`), ["SCHEMA_BREAK"]],
    [
      "its status words are unknown",
      bulkFiles("zip", ROWS, {
        changes: Object.fromEntries(Array.from({ length: 20 }, (_, row) => [row, { CompanyStatus: "Trading" }])),
      }),
      ["SCHEMA_BREAK"],
    ],
    ["one number carries two companies", change(3, { CompanyNumber: companyNumber(4) }), ["DUPLICATE_ID"]],
    ["the archive is cut", cutZip(4000), ["TRUNCATED"]],
    ["the CSV is cut within a row", csvFile(bulkCsv(ROWS).slice(0, -40)), ["SCHEMA_BREAK", "TRUNCATED"]],
    ["the CSV ends in a quote", csvFile(`${bulkCsv(ROWS)}"open`), ["TRUNCATED"]],
    ["it is an error page", csvFile("<!doctype html><title>Sorry</title>"), ["NOT_DATA"]],
    ["it is empty", csvFile(""), ["TRUNCATED"]],
    ["a part is missing", parts.slice(1), ["MISSING_FILE"]],
    [
      "parts are of two months",
      [...parts.slice(1), ...bulkFiles("parts", ROWS, { day: "2026-10-01" }).slice(0, 1)],
      ["MIXED_PUBLICATION"],
    ],
    ["a part comes with the whole", [...parts, ...bulkFiles("zip", ROWS)], ["MIXED_PUBLICATION"]],
    [
      "a file is named for another month than its content",
      [{ ...(zip as NamedBytes), name: "BasicCompanyDataAsOneFile-2026-12-01.zip" }],
      ["MIXED_PUBLICATION"],
    ],
    ["it is from the future", bulkFiles("zip", ROWS, { day: "2027-01-01" }), ["SCHEMA_BREAK"]],
    ["it is older than the active one", bulkFiles("zip", ROWS, { day: "2026-09-01" }), ["OLDER_THAN_ACTIVE"]],
    ["it shrank", bulkFiles("zip", 260), ["SHRUNK"]],
    ["it grew by more than half", bulkFiles("zip", 500), ["EXPLODED"]],
    [
      "too many companies are missing",
      bulkFiles("zip", ROWS, {
        changes: Object.fromEntries(
          Array.from({ length: 12 }, (_, row) => [row, { CompanyNumber: String(99_000_000 + row) }]),
        ),
      }),
      ["SHRUNK"],
    ],
    [
      "a column is empty now",
      bulkFiles("zip", ROWS, {
        changes: Object.fromEntries(Array.from({ length: ROWS }, (_, row) => [row, { "RegAddress.PostCode": "" }])),
      }),
      ["FILL_RATE"],
    ],
  ]
  test.each(rows)("%s", async (_what, files, expected) => {
    await using bench = registerBench()
    const { snapshotId } = await bench.bringCompaniesHouse(bulkFiles("zip", ROWS, { day: "2026-10-01" }))
    bench.machine.set(bench.machine.now() + 60_000)
    const before = readdirSync(bench.companiesHouseFiles)
    const refused = await bench.bringCompaniesHouse(files)
    expect([refused.imported, codes(refused.findings, "hard")]).toEqual([false, [...expected]])
    expect(readdirSync(bench.companiesHouseFiles)).toEqual(before)
    expect((await bench.active(REGISTER as never))?.snapshotId).toBe(snapshotId ?? "")
    const answer = await bench.ask((registers) => registers.find(REGISTER, "number", companyNumber(5)))
    expect(answer?.name).toBe(companyCells(5)["CompanyName"] ?? "?")
    const last = bench.events().at(-1)
    expect([last?.kind, JSON.parse(last?.detail ?? "")]).toEqual(["REFUSED", refused.findings])
  })
})

describe("accepted differences", () => {
  test("an unknown column, an unknown word and one unreadable row in a thousand are reported and accepted", async () => {
    await using bench = registerBench()
    const text = bulkCsv(1500, { changes: { 7: { CompanyStatus: "Dormant" }, 9: { IncorporationDate: "soon" } } })
    const bytes = new TextEncoder().encode(text.replace("URI,", "Link,"))
    const report = await bench.bringCompaniesHouse([{ name: "BasicCompanyDataAsOneFile-2026-11-01.csv", bytes }])
    expect([report.imported, report.entries, report.failed]).toEqual([true, 1499, 1])
    expect(codes(report.findings, "soft")).toEqual([
      "BELOW_EXPECTED",
      "END_UNPROVEN",
      "ROW_FAILED",
      "UNKNOWN_COLUMN",
      "UNKNOWN_WORD",
    ])
    expect(JSON.stringify(report.findings)).not.toMatch(/soon|Dormant/)
    const [unread, word] = await bench.ask((registers) =>
      [9, 7].map((row) => registers.find(REGISTER, "number", companyNumber(row))),
    )
    expect([unread, word?.record]).toEqual([null, expect.objectContaining({ company_status: "Dormant" })])
  })

  test("a row that repeats word for word counts once", async () => {
    await using bench = registerBench()
    const text = bulkCsv(ROWS) + bulkCsv(2).slice(bulkCsv(1).length)
    const bytes = new TextEncoder().encode(text)
    const report = await bench.bringCompaniesHouse([{ name: "BasicCompanyDataAsOneFile-2026-11-01.csv", bytes }])
    expect([report.imported, report.entries]).toEqual([true, ROWS])
    expect(codes(report.findings, "soft")).toContain("DUPLICATE_ID")
  })

  test("the operator can accept exactly the refused bytes", async () => {
    await using bench = registerBench()
    await bench.bringCompaniesHouse(bulkFiles("zip", ROWS))
    const less = bench.folder(bulkFiles("zip", 200, { day: "2026-10-01" }))
    const refused = await bench.importPaths([less])
    expect(codes(refused.findings, "hard")).toEqual(["OLDER_THAN_ACTIVE", "SHRUNK"])
    const other = await bench.bringCompaniesHouse(bulkFiles("zip", 201), { acceptShrink: refused.rawSha256 })
    expect(other.imported).toBe(false)
    const accepted = await bench.importPaths([less], { acceptShrink: refused.rawSha256 })
    expect([accepted.imported, accepted.entries]).toEqual([true, 200])
  })

  test("a file under another name has no day: its version is its content, and no duty is called overdue", async () => {
    await using bench = registerBench()
    const [file] = bulkFiles("csv", ROWS)
    const report = await bench.bringCompaniesHouse([{ name: "companies.csv", bytes: file?.bytes ?? new Uint8Array() }])
    expect([report.imported, report.sourceTimestamp, report.version]).toEqual([
      true,
      null,
      `${report.rawSha256.slice(7, 23)}#${ROWS}`,
    ])
    const entry = await bench.ask((registers) => registers.find(REGISTER, "number", companyNumber(1)))
    expect(entry?.record).toMatchObject({ accounts_overdue: null, confirmation_statement_overdue: null })
  })
})
