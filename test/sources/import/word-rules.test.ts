/** A publisher that writes a word otherwise is reported before its list is read wrongly. */
import { describe, expect, test } from "bun:test"
import { wordFindings } from "../../../src/sources/import/word-rules.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { SOURCE_IDS } from "../../../src/sources/records/party.ts"
import {
  type CountedWords,
  UNREAD,
  USABLE,
  WordCounts,
  type WordRule,
} from "../../../src/sources/records/publisher-words.ts"
import { samCsv, samZip } from "../../fixtures/sample-lists.ts"
import { samRows } from "../../fixtures/sample-parties.ts"
import { hardCodes, importBench } from "../import-bench.ts"
import { whole } from "../whole-list.ts"

const SAM = "US_SAM_EXCLUSIONS"

const rule = (more: Partial<WordRule>): WordRule => ({
  ...{ id: "one", kind: "VALUE", where: "a column", words: ["Firm"], without: "it is read wrongly" },
  ...{ gone: "hard", unknown: "soft" },
  ...more,
})

function counted(rules: readonly WordRule[], words: Readonly<Record<string, number>>): CountedWords {
  const counts = new WordCounts(rules)
  for (const [word, count] of Object.entries(words)) for (let at = 0; at < count; at++) counts.add("one", word)
  return counts.counted()
}

interface Case {
  readonly before: Readonly<Record<string, number>> | null
  readonly now: Readonly<Record<string, number>>
  readonly rule?: Partial<WordRule>
  readonly accepted?: boolean
  readonly isSmall?: boolean
}

function found({ before, now, rule: more = {}, accepted = false, isSmall = false }: Case): string[] {
  const rules = [rule(more)]
  const small = [{ code: "BELOW_EXPECTED", severity: "soft", detail: "" } as const]
  return wordFindings({
    ...{ accepted, readingFindings: isSmall ? small : [], wordRules: rules },
    words: counted(rules, now),
    wordsBefore: before && counted(rules, before),
  }).map(({ severity, code, detail }) => `${severity} ${code} ${detail}`)
}

describe("a word that stops", () => {
  test("refuses or warns as its row says, names both counts and the way out", () => {
    const [hard = ""] = found({ before: { Firm: 9 }, now: { Company: 9 }, rule: { unknown: null } })
    expect(hard).toStartWith(
      'hard WORD_GONE a column: "Firm" occurred 9 times before and does not occur, so it is read wrongly; ask the publisher',
    )
    expect(hard).toContain("--accept-shrink")
    expect(found({ before: { Firm: 9 }, now: {}, rule: { gone: "soft" } })).toEqual([
      expect.stringMatching(/^soft WORD_GONE/),
    ])
  })

  test("refuses nothing if it occurred only twice, or if the operator accepts these bytes", () => {
    expect(found({ before: { Firm: 2 }, now: {} })).toEqual([expect.stringMatching(/^soft WORD_GONE/)])
    expect(found({ before: { Firm: 9 }, now: {}, accepted: true })).toEqual([
      expect.stringMatching(/^soft WORD_GONE .*; accepted by the operator$/),
    ])
  })

  test("is found in a whole first list only if the row asks for that", () => {
    expect(found({ before: null, now: {} })).toEqual([])
    expect(found({ before: null, now: {}, rule: { atFirst: true } })).toEqual([
      expect.stringMatching(/^hard WORD_GONE .* does not occur in the whole list/),
    ])
    expect(found({ before: null, now: {}, rule: { atFirst: true }, isSmall: true })).toEqual([])
  })
})

describe("an unknown word", () => {
  test("is named with its count; one of the snapshot before stays a warning", () => {
    const now = { Firm: 1, Company: 3, "Sole\u001b trader": 1 }
    expect(found({ before: { Firm: 1 }, now, rule: { unknown: "hard" } })).toEqual([
      expect.stringMatching(/^hard WORD_UNKNOWN a column: "Company" 3 times, "Sole\ufffd trader" 1 times, new; /),
    ])
    expect(found({ before: now, now, rule: { unknown: "hard" } })).toEqual([
      expect.stringMatching(/^soft WORD_UNKNOWN .* as in the snapshot before/),
    ])
  })

  test("of an open vocabulary is new only against a snapshot before", () => {
    const open = { isOpen: true, words: [] } as const
    expect(found({ before: null, now: { GSA: 1 }, rule: open })).toEqual([])
    expect(found({ before: { GSA: 1 }, now: { GSA: 1, NASA: 2 }, rule: open })).toEqual([
      expect.stringMatching(/^soft WORD_UNKNOWN a column: "NASA" 2 times, new/),
    ])
  })
})

test("cells with digits without a usable identifier are compared with those of the snapshot before", () => {
  const identifiers = { kind: "IDENTIFIER", words: [USABLE] } as const
  const at = (unread: number, usable: number) => ({ [UNREAD]: unread, [USABLE]: usable })
  expect(found({ before: at(10, 90), now: at(14, 86), rule: identifiers })).toEqual([])
  expect(found({ before: at(10, 90), now: at(40, 60), rule: identifiers })).toEqual([
    expect.stringMatching(/^soft IDENTIFIER_UNREAD .*: 10 of 100 cells .* before, 40 of 100 now/),
  ])
  // A list that grows keeps its share.
  expect(found({ before: at(10, 90), now: at(100, 900), rule: identifiers })).toEqual([])
  expect(found({ before: at(10, 90), now: at(100, 0), rule: identifiers })).toEqual([
    expect.stringMatching(/^hard WORD_GONE a column: "usable" occurred 90 times/),
    expect.stringMatching(/^soft IDENTIFIER_UNREAD/),
  ])
})

test("each list has rows with unique ids, and each row says what goes wrong", () => {
  for (const id of SOURCE_IDS) {
    const { words } = ADAPTERS[id]
    expect(new Set(words.map((one) => one.id)).size).toBe(words.length)
    expect(words.filter(({ gone, unknown }) => gone === "hard" || unknown === "hard").length).toBeGreaterThan(0)
    for (const { where, without } of words) expect([where, without]).not.toContain("")
  }
})

const OFAC = samRows.filter((row) => row["Excluding Agency"] === "TREAS-OFAC")
const renamed = (agency: string) =>
  samRows.map((row) => (OFAC.includes(row) ? { ...row, "Excluding Agency": agency } : row))

describe("GSA's agency for the rows that repeat OFAC's list", () => {
  const sam = (agency: string, publishedAt: number) => [samZip({ publishedAt }, samCsv(renamed(agency)))]

  test.each(["OFAC", "TREAS - OFAC", "OFFICE OF FOREIGN ASSETS CONTROL"])(
    "written as %s refuses a first import and a later one; the old snapshot stays",
    async (agency) => {
      await using bench = importBench()
      const first = await bench.bring(SAM, sam(agency, bench.machine.now()))
      expect([first.imported, hardCodes(first)]).toEqual([false, ["WORD_UNKNOWN"]])
      const good = await bench.bring(SAM, sam("TREAS-OFAC", bench.machine.now()))
      expect([good.imported, good.counts["mirrored"]]).toEqual([true, 1])
      const next = await bench.bring(SAM, sam(agency, bench.machine.now()))
      expect([next.imported, hardCodes(next).sort()]).toEqual([false, ["WORD_GONE", "WORD_UNKNOWN"]])
      expect((await bench.active(SAM))?.snapshotId).toBe(good.snapshotId ?? "")
      const accepted = await bench.bring(SAM, sam(agency, bench.machine.now()), { acceptShrink: next.rawSha256 })
      expect([accepted.imported, hardCodes(accepted)]).toEqual([true, []])
      expect(accepted.findings.map(({ detail }) => detail)).toContainEqual(
        expect.stringContaining(`${JSON.stringify(agency)} 1 times, new`),
      )
    },
  )

  test("written without any word of OFAC refuses a whole first list, and any later one", async () => {
    await using bench = importBench()
    const adapter = whole(SAM)
    const first = await bench.bring(SAM, sam("TREASURY", bench.machine.now()), { adapter })
    expect([first.imported, hardCodes(first)]).toEqual([false, ["WORD_GONE"]])
    expect((await bench.bring(SAM, sam("TREAS-OFAC", bench.machine.now()))).imported).toBe(true)
    const next = await bench.bring(SAM, sam("TREASURY", bench.machine.now()))
    expect([next.imported, hardCodes(next)]).toEqual([false, ["WORD_GONE"]])
    expect(next.findings.map(({ detail }) => detail)).toContainEqual(expect.stringContaining('"TREASURY" 1 times, new'))
  })

  test("is compared with the kept files of a snapshot whose release counted no words", async () => {
    await using bench = importBench()
    await bench.bring(SAM, sam("TREAS-OFAC", bench.machine.now()))
    const { counts } = bench.database.query<{ counts: string }, []>("SELECT counts FROM source_snapshot").get() ?? {
      counts: "{}",
    }
    const numbers = JSON.parse(counts) as Record<string, number>
    expect(numbers["words.ofac-agency:TREAS-OFAC"]).toBe(1)
    const without = Object.fromEntries(Object.entries(numbers).filter(([key]) => !key.startsWith("words.")))
    bench.database.run("UPDATE source_snapshot SET counts = ?", [JSON.stringify(without)])
    const next = await bench.bring(SAM, sam("TREASURY", bench.machine.now()))
    expect(hardCodes(next)).toEqual(["WORD_GONE"])
  })
})
