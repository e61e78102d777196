/** The expected results for the publishers' own files. Runs only if BIZAUTH_LISTS names their folder. */

import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ukSanctionsList } from "../../src/sources/publishers/uk-sanctions-list/adapter.ts"
import { usOfacConsolidated, usOfacSdn } from "../../src/sources/publishers/us-ofac/adapter.ts"
import { usSamExclusions } from "../../src/sources/publishers/us-sam-exclusions/adapter.ts"
import { usTradeCsl } from "../../src/sources/publishers/us-trade-csl/adapter.ts"
import type { SourceAdapter, SourceFile } from "../../src/sources/records/adapter.ts"
import { atLength, howMany } from "../fixtures/long.ts"
import { hardCodes, softCodes } from "../fixtures/source-files.ts"
import { UK_HEADER } from "../fixtures/uk-sanctions-list.ts"

const lists = process.env["BIZAUTH_LISTS"]
const present = lists !== undefined && existsSync(lists)
if (!present) console.log("published lists skipped: BIZAUTH_LISTS names no folder with the publishers' files")

function folder(...path: string[]): SourceFile[] {
  const dir = join(lists ?? "", ...path)
  const names = readdirSync(dir).filter((name) => name.endsWith(".csv") && name !== "csl.csv")
  return names.map((name) => file(join(dir, name), name))
}

function file(path: string, name: string): SourceFile {
  return { name, bytes: new Uint8Array(readFileSync(path)), modifiedAt: 0 }
}

/** Numbers from a fixed seed (mulberry32), so that a failure can be repeated. */
function seeded(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const CUTS = atLength(4, 20)

/** Hard codes found after each of twenty cuts of one file of the set. */
function cutsOf(adapter: SourceAdapter, files: readonly SourceFile[], name: string): string[][] {
  const random = seeded(name.length)
  return Array.from({ length: CUTS }, () => {
    const share = random()
    const cut = files.map((each) =>
      each.name === name ? { ...each, bytes: each.bytes.subarray(0, Math.floor(each.bytes.length * share)) } : each,
    )
    return hardCodes(adapter.parse(cut).findings)
  })
}

describe.skipIf(!present)("OFAC SDN", () => {
  test("the publication of July 2021 is read completely", () => {
    const { parties, counts, findings } = usOfacSdn.parse(folder("us_ofac_sdn", "2021-07-full"))
    expect(hardCodes(findings)).toEqual([])
    // The project that stored this file had trimmed its comments file.
    expect(softCodes(findings)).toEqual(["END_UNPROVEN", "BELOW_EXPECTED"])
    expect(parties).toHaveLength(8976)
    expect(counts).toMatchObject({ entries: 8976, aliases: 11_910, addresses: 13_837, persons: 4620, orgs: 3673 })
    expect(counts).toMatchObject({ vessels: 406, aircraft: 277, unknown: 0 })
    const weak = parties.flatMap((party) => party.names).filter((name) => name.kind === "weak")
    expect(weak.length).toBeGreaterThan(2400)
  })

  test("contains its canaries", () => {
    const { parties } = usOfacSdn.parse(folder("us_ofac_sdn", "2021-07-full"))
    for (const { entryId, name } of usOfacSdn.canaries) {
      expect(parties.find((party) => party.entryId === entryId)?.names[0]?.text).toBe(name)
    }
  })

  test("gives a mixed publication for files of July 2024 with an alias file of September", () => {
    const { findings, parties } = usOfacSdn.parse(folder("us_ofac_sdn", "2024-07-full"))
    const mixed = findings.find((finding) => finding.code === "MIXED_PUBLICATION")
    expect(mixed).toMatchObject({ severity: "hard", file: "alt.csv" })
    expect(mixed?.detail).toStartWith("346 entries")
    expect(parties).toEqual([])
  })

  test.each(["sdn.csv", "add.csv", "alt.csv"])(
    `%s cut at ${howMany(20, CUTS)} points is refused`,
    (name) => {
      const files = folder("us_ofac_sdn", "2021-07-full")
      for (const codes of cutsOf(usOfacSdn, files, name)) expect(codes).toContain("TRUNCATED")
    },
    60_000,
  )

  test("with a line of bars at each end gives a schema break", () => {
    expect(hardCodes(usOfacSdn.parse(folder("us_ofac_sdn", "schema-broken")).findings)).toContain("SCHEMA_BREAK")
  })
})

describe.skipIf(!present)("OFAC consolidated", () => {
  test("the publication of December 2025 is read completely, with its canaries", () => {
    const { parties, counts, findings } = usOfacConsolidated.parse(folder("us_ofac_cons"))
    expect(findings).toEqual([])
    expect(counts).toMatchObject({ entries: 442, aliases: 1073, addresses: 574 })
    for (const { entryId, name } of usOfacConsolidated.canaries) {
      expect(parties.find((party) => party.entryId === entryId)?.names[0]?.text).toBe(name)
    }
  })

  test.each(["cons_prim.csv", "cons_add.csv", "cons_alt.csv", "cons_comments.csv"])(
    `%s cut at ${howMany(20, CUTS)} points is refused`,
    (name) => {
      for (const codes of cutsOf(usOfacConsolidated, folder("us_ofac_cons"), name)) expect(codes).toContain("TRUNCATED")
    },
  )
})

describe.skipIf(!present)("Consolidated Screening List", () => {
  const read = (...path: string[]) => [file(join(lists ?? "", ...path), "consolidated.csv")]

  test("rows of the older file give the lists of Commerce and State", () => {
    const { parties, counts, findings } = usTradeCsl.parse(read("us_csl", "csl-sample.csv"))
    expect(hardCodes(findings)).toEqual([])
    expect(parties).toHaveLength(47)
    expect(counts).toMatchObject({ rows: 115, mirrored: 68 })
    // In the file U+0092 is between "Gui" and "an": the apostrophe of Windows-1252.
    expect(parties.flatMap(({ names }) => names.map(({ text }) => text))).toContain(
      "Gui’an New District Huawei Investment Co., Ltd., Guiyang, Guizhou",
    )
  })

  test(`cut at ${howMany(20, CUTS)} points it is refused`, () => {
    for (const codes of cutsOf(usTradeCsl, read("us_csl", "csl-sample.csv"), "consolidated.csv")) {
      expect(codes).not.toEqual([])
    }
  })

  test("the broken file is a schema break", () => {
    expect(hardCodes(usTradeCsl.parse(read("us_ofac_sdn", "schema-broken", "csl.csv")).findings)).toContain(
      "SCHEMA_BREAK",
    )
  })
})

describe.skipIf(!present)("SAM exclusions", () => {
  const NAME = "SAM_Exclusions_Public_Extract_20049.ZIP"
  const read = () => [file(join(lists ?? "", "us_sam", NAME), NAME)]

  test("all rows of GSA's sample are read, including the wrongly quoted ones", () => {
    const { parties, counts, findings, version, timestamp } = usSamExclusions.parse(read())
    expect(hardCodes(findings)).toEqual([])
    expect(counts).toMatchObject({ rows: 10_000, entries: parties.length })
    // Every row is either screened or a repetition of OFAC's list.
    expect(counts.mirrored).toBeGreaterThanOrEqual(5027)
    expect({ version, timestamp }).toEqual({ version: "20049", timestamp: "2020-02-18T00:00:00.000Z" })
    expect(parties.some((party) => party.names[0]?.text === "NAFTIRAN INTERTRADE CO. (NICO) SARL")).toBe(true)
  })

  test(`cut at ${howMany(20, CUTS)} points it is refused`, () => {
    for (const codes of cutsOf(usSamExclusions, read(), NAME)) expect(codes).not.toEqual([])
  })
})

describe.skipIf(!present)("UK Sanctions List", () => {
  const NAME = "UK-Sanctions-List.csv"
  const UK = [lists ?? "", "uk_sanctions_list"]
  const read = () => [file(join(...UK, "uk-sanctions-list-2-real-rows.csv"), NAME)]

  test("the two published rows are read: a frozen organisation and a ship under other sanctions", () => {
    const { parties, counts, findings, version, timestamp } = ukSanctionsList.parse(read())
    expect(hardCodes(findings)).toEqual([])
    expect(softCodes(findings)).toEqual(["END_UNPROVEN", "BELOW_EXPECTED"])
    expect(counts).toMatchObject({ rows: 2, entries: 2, orgs: 1, vessels: 1 })
    expect({ version, timestamp }).toEqual({
      version: "Report Date 08-Oct-2026",
      timestamp: "2026-10-08T00:00:00.000Z",
    })
    const [exchange, ship] = parties
    expect(exchange).toMatchObject({
      entryId: "AFG0001",
      type: "org",
      measure: "block",
      programs: ["The Afghanistan (Sanctions) (EU Exit) Regulations 2020"],
      names: [
        { text: "HAJI KHAIRULLAH HAJI SATTAR MONEY EXCHANGE", kind: "primary" },
        { text: "حاجی خيرالله و حاجی ستار صرافی", kind: "native" },
      ],
      addresses: ["Branch Office 10"],
      validFrom: "2012-06-29",
      line: { number: 3 },
    })
    expect(ship).toMatchObject({
      entryId: "RUS2176",
      type: "vessel",
      measure: "hold",
      identifiers: [{ scheme: "imo", value: "9826902" }],
      countries: ["GA"],
      validFrom: "2024-07-31",
    })
  })

  test("contains its canary", () => {
    const { parties } = ukSanctionsList.parse(read())
    const [canary] = ukSanctionsList.canaries
    expect(parties.find(({ entryId }) => entryId === canary?.entryId)?.names[0]?.text).toBe(canary?.name ?? "")
  })

  test("has the same columns as the sample lists", () => {
    const published = readFileSync(join(...UK, "header-58-columns.txt"), "utf8")
      .trimEnd()
      .split("\n")
    expect(published).toEqual([...UK_HEADER])
  })

  test(`cut at ${howMany(20, CUTS)} points it is refused`, () => {
    for (const codes of cutsOf(ukSanctionsList, read(), NAME)) expect(codes).not.toEqual([])
  })
})
