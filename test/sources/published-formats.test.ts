/**
 * Every file in the folder of published data is imported as an operator would, refused for the stated reason, or listed as not supported.
 * A file without a row fails, so that nobody can add one and forget it. Runs only if BIZAUTH_LISTS names the folder.
 */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { Glob } from "bun"
import { importSource } from "../../src/sources/import/import-source.ts"
import { findInput, readInput } from "../../src/sources/import/read-input.ts"
import { listSource, registerSource } from "../../src/sources/import/source.ts"
import { ADAPTERS } from "../../src/sources/list-registry.ts"
import { readProfile } from "../../src/sources/publishers/uk-companies-house/rest-profile.ts"
import type { SourceId } from "../../src/sources/records/party.ts"
import type { RegisterId } from "../../src/sources/records/register-id.ts"
import { registerAdapterOf } from "../../src/sources/register-registry.ts"
import { hardCodes, softCodes } from "../fixtures/source-files.ts"
import { importBench } from "./import-bench.ts"

const lists = process.env["BIZAUTH_LISTS"]
const present = lists !== undefined && existsSync(lists)
if (!present) console.log("published formats skipped: BIZAUTH_LISTS names no folder with the publishers' files")

interface Row {
  /** Files and folders that an operator names in one import. */
  readonly paths: readonly string[]
  readonly source: SourceId
  /** Entries of the active snapshot afterwards; null if the import is refused. */
  readonly entries: number | null
  /** Distinct codes in order; hard ones of a refusal, soft ones of an import. */
  readonly codes: readonly string[]
}

const SDN_2021 = "us_ofac_sdn/2021-07-full"
const SDN_2024 = "us_ofac_sdn/2024-07-full"
const BROKEN = "us_ofac_sdn/schema-broken"

const READ: readonly Row[] = [
  {
    paths: [SDN_2021],
    source: "US_OFAC_SDN",
    entries: 8976,
    codes: ["END_UNPROVEN", "BELOW_EXPECTED", "NAME_NOT_DISTINCTIVE", "PUBLICATION_UNKNOWN"],
  },
  // The alias file belongs to another publication, and all three files were saved again by hand.
  {
    paths: [SDN_2024],
    source: "US_OFAC_SDN",
    entries: null,
    codes: ["TRUNCATED", "SCHEMA_BREAK", "MIXED_PUBLICATION"],
  },
  // Without that file the set is incomplete.
  {
    paths: [`${SDN_2024}/sdn.csv`, `${SDN_2024}/add.csv`],
    source: "US_OFAC_SDN",
    entries: null,
    codes: ["MISSING_FILE"],
  },
  { paths: [BROKEN], source: "US_OFAC_SDN", entries: null, codes: ["TRUNCATED", "SCHEMA_BREAK"] },
  { paths: ["us_ofac_cons"], source: "US_OFAC_CONSOLIDATED", entries: 442, codes: ["PUBLICATION_UNKNOWN"] },
  // A sample of a hundred rows. A first import has nothing to compare it with, and reports that it is small.
  {
    paths: ["us_csl/csl-sample.csv"],
    source: "US_TRADE_CSL",
    entries: 47,
    codes: ["END_UNPROVEN", "LIST_MISSING", "BELOW_EXPECTED", "PUBLICATION_UNKNOWN"],
  },
  {
    paths: [`${BROKEN}/csl.csv`],
    source: "US_TRADE_CSL",
    entries: null,
    codes: ["SCHEMA_BREAK", "LIST_MISSING"],
  },
  {
    paths: ["us_sam/SAM_Exclusions_Public_Extract_20049.ZIP"],
    source: "US_SAM_EXCLUSIONS",
    entries: 3909,
    codes: ["ROW_REPAIRED", "BELOW_EXPECTED", "WORD_UNKNOWN", "NAME_NOT_DISTINCTIVE", "CONTENT_OLD"],
  },
  {
    paths: ["uk_sanctions_list/uk-sanctions-list-2-real-rows.csv"],
    source: "UK_SANCTIONS_LIST",
    entries: 2,
    codes: ["END_UNPROVEN", "BELOW_EXPECTED"],
  },
]

/** Files that are not a supported restricted-party list, and why. No adapter accepts them. */
const NOT_READ: Readonly<Record<string, string>> = {
  "un_sc/*.xml": "UN Security Council list: no adapter; its entries reach us through the OFAC and UK lists only",
  "us_bis_dpl/*.txt": "the BIS Denied Persons List alone: no adapter for the TSV; screened as DPL rows of US_TRADE_CSL",
  "us_sam/SAM_PUBLIC_MONTHLY_20140504.ZIP": "SAM entity extract: a register, not a list; below",
  "us_sam/FASCSAOrders23306.csv": "orders under the Federal Acquisition Supply Chain Security Act: no adapter",
  "us_sam/*.pdf": "official layouts, to be read by people",
  "us_sam/exclusions-api-v4-sample.xlsx": "a sample of the query API, which is not asked",
  "uk_companies_house/*.json": "answers of the Companies House API: a register, not a list; below",
  "uk_companies_house/constants.yml": "the vocabulary of that register",
  "uk_sanctions_list/header-58-columns.txt": "a header alone",
  "gleif/elf-codes-1.4.1.csv": "legal forms: what the name index knows of them was taken from it",
  "matching/*": "labelled names for the benchmark of the matcher",
  "PROVENANCE.md": "says where the files are from",
  [`${SDN_2024}/dataspec.txt`]: "Treasury's description of the CSV files; unused beside them",
}

/** Publications of registers, and the hard codes of their refusal. */
const REGISTERS: readonly (readonly [path: string, id: RegisterId, codes: readonly string[]])[] = [
  // From 2014: 150 fields a line, and 142 in the present layout.
  ["us_sam/SAM_PUBLIC_MONTHLY_20140504.ZIP", "US_SAM_ENTITY", ["SCHEMA_BREAK", "COUNT_MISMATCH"]],
]

/** Stored answers and inner forms of the Companies House API, read as the answer for one company; null if the client accepts it. */
const COMPANY_ANSWERS: Readonly<Record<string, string | null>> = {
  "00006402-getCompanyProfile.json": null,
  "00006408-getCompanyProfile.json": null,
  // The short form lacks members that a decision needs.
  "00006402-getCompanyDetail.json": "ANSWER_MEMBER_INVALID",
  // An answer of another route, and records of the service's own database. None is a profile.
  "00006406-getUkEstablishments.json": "ANSWER_MEMBER_INVALID",
  "00006400-getResponse.json": "ANSWER_MEMBER_INVALID",
  "00006401-getResponse.json": "ANSWER_MEMBER_INVALID",
  "company-profile-example.json": "ANSWER_MEMBER_INVALID",
}

const within = (path: string) => join(lists ?? "", path)
const distinct = (codes: readonly string[]) => [...new Set(codes)]
const filesBelow = (path: string) =>
  statSync(within(path)).isDirectory()
    ? [...new Glob("**/*").scanSync({ cwd: within(path) })].map((name) => `${path}/${name}`)
    : [path]

describe.skipIf(!present)("the folder of published data", () => {
  test("has a row in this test for every file", () => {
    const spokenOf = new Set(READ.flatMap(({ paths }) => paths.flatMap(filesBelow)))
    const stated = Object.keys(NOT_READ).map((pattern) => new Glob(pattern))
    const all = [...new Glob("**/*").scanSync({ cwd: lists ?? "" })]
    expect(all.length).toBeGreaterThan(40)
    expect(all.filter((path) => !spokenOf.has(path) && !stated.some((glob) => glob.match(path))).sort()).toEqual([])
    for (const [at, glob] of stated.entries())
      expect([Object.keys(NOT_READ)[at], all.some((path) => glob.match(path))]).toEqual([
        Object.keys(NOT_READ)[at],
        true,
      ])
  })

  test.each(READ.map((row) => [row.paths.join(" + "), row] as const))(
    "%s gives its stated result",
    async (_name, { paths, source, entries, codes }) => {
      await using bench = importBench()
      const context = { ...bench, source: listSource(ADAPTERS[source]) }
      const report = await importSource(context, readInput(paths.map(within), source), {
        retrievedAt: null,
        acceptShrink: null,
      })
      const active = await bench.active(source)
      expect([report.imported, active?.entries ?? null]).toEqual([entries !== null, entries])
      const found = entries === null ? hardCodes(report.findings) : softCodes(report.findings)
      expect(distinct(found)).toEqual([...codes])
      // A refusal is recorded with its reasons, and none of its files is stored.
      expect(bench.events().map(({ kind }) => kind)).toEqual([entries === null ? "REFUSED" : "IMPORTED"])
    },
  )

  test.each(Object.entries(NOT_READ))("%s is accepted by no adapter: %s", (pattern) => {
    const glob = new Glob(pattern)
    const files = [...new Glob("**/*").scanSync({ cwd: lists ?? "" })].filter((path) => glob.match(path))
    for (const path of files) {
      const file = { name: basename(path), bytes: new Uint8Array(readFileSync(within(path))), modifiedAt: 0 }
      for (const adapter of Object.values(ADAPTERS)) {
        expect([path, adapter.id, hardCodes(adapter.parse([file]).findings).length > 0]).toEqual([
          path,
          adapter.id,
          true,
        ])
      }
    }
  })

  test.each(REGISTERS)("%s is refused as the register %s", async (path, id, codes) => {
    await using bench = importBench()
    const adapter = registerAdapterOf(id)
    if (!adapter) throw new Error(`no register ${id}`)
    const context = { ...bench, source: registerSource(adapter) }
    const input = findInput([within(path)], id)
    const report = await importSource(context, input, { retrievedAt: null, acceptShrink: null })
    expect([report.imported, distinct(hardCodes(report.findings))]).toEqual([false, [...codes]])
    expect(bench.events().map(({ kind }) => kind)).toEqual(["REFUSED"])
  })

  test("an answer of Companies House is read as a company or refused for the stated reason", () => {
    const folder = within("uk_companies_house")
    const answers = [...new Glob("*.json").scanSync({ cwd: folder })].sort()
    const read = answers.map((name) => {
      const reading = readProfile(readFileSync(join(folder, name)), name.slice(0, 8))
      return [name, reading.kind === "PROFILE" ? null : reading.code]
    })
    expect(Object.fromEntries(read)).toEqual(COMPANY_ANSWERS)
  })
})
