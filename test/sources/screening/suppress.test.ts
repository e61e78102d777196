import { describe, expect, test } from "bun:test"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { removedParties } from "../../../src/sources/import/removed-parties.ts"
import type { Party } from "../../../src/sources/records/party.ts"
import { type ScreenQuery, screen } from "../../../src/sources/screening/screen.ts"
import {
  entryHash,
  judgeOf,
  NO_SUPPRESSIONS,
  type Suppression,
  type SuppressionBook,
  screenedPartyDigest,
} from "../../../src/sources/screening/suppress.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const AT = Date.UTC(2026, 10, 20)
const LISTED = "Karvolan Maritime Trading LLC"
/** A name close enough for a hold, but not for a block. */
const SUPPLIER = query("Karvolin Maritime LLC", { threshold: 0.7 })

function judged(requests: ScreenQuery, entry: Party, changes: Partial<Suppression> = {}): SuppressionBook {
  const partyDigest = screenedPartyDigest(requests) ?? ""
  const one: Suppression = {
    suppressionId: "sup_1",
    partyDigest,
    sourceId: entry.sourceId,
    entryId: entry.entryId,
    entryHash: entryHash(entry),
    recordDigest: digestOf("record"),
    createdAt: formatInstant(AT - DAY),
    expiresAt: formatInstant(AT + DAY),
    ...changes,
  }
  return new Map([[partyDigest, [one]]])
}

const screenWith = (book: SuppressionBook, requests: ScreenQuery, entry: Party, at = AT) =>
  screen(indexOf(entry), requests, judgeOf(book, requests, at))

describe("a suppressed hit", () => {
  const entry = party({})

  test("leaves the hits and does not affect the state, and stays visible with its suppression", () => {
    const before = screenWith(NO_SUPPRESSIONS, SUPPLIER, entry)
    expect([before.state, before.hits[0]?.tier, before.suppressedHits]).toEqual(["POSSIBLE_MATCH", "HOLD", []])
    const after = screenWith(judged(SUPPLIER, entry), SUPPLIER, entry)
    expect([after.state, after.hits, after.hitCount, after.bestScore]).toEqual(["CLEAR", [], 0, before.bestScore])
    const [hit] = after.suppressedHits
    expect(hit).toMatchObject({
      ...before.hits[0],
      suppression: { suppressionId: "sup_1", entryHash: entryHash(entry) },
    })
  })

  test("removes no other hit", () => {
    const other = party({ entryId: "2", name: "Karvolan Maritime Trade House" })
    const book = judged(SUPPLIER, entry)
    const result = screen(indexOf(entry, other), SUPPLIER, judgeOf(book, SUPPLIER, AT))
    expect(result.hits.map(({ entryId }) => entryId)).toEqual(["2"])
    expect([result.state, result.suppressedHits.map(({ entryId }) => entryId)]).toEqual(["POSSIBLE_MATCH", ["1"]])
  })

  test("returns exactly when the suppression ends", () => {
    const book = judged(SUPPLIER, entry)
    expect(screenWith(book, SUPPLIER, entry, AT + DAY - 1).state).toBe("CLEAR")
    expect(screenWith(book, SUPPLIER, entry, AT + DAY).state).toBe("POSSIBLE_MATCH")
  })

  test("that would block leaves a POSSIBLE_MATCH, never CLEAR", () => {
    const exact = query(LISTED)
    expect(screenWith(NO_SUPPRESSIONS, exact, entry).state).toBe("MATCH")
    const after = screenWith(judged(exact, entry), exact, entry)
    expect([after.state, after.hits, after.suppressedHits[0]?.tier]).toEqual(["POSSIBLE_MATCH", [], "BLOCK"])
  })

  test("is never a match by identifier, which cannot be suppressed", () => {
    const uei = { scheme: "uei", value: "ABCDEFGHJKL1" }
    const listed = party({ identifiers: [uei] })
    const requests = { ...SUPPLIER, identifiers: [uei] }
    const result = screenWith(judged(requests, listed), requests, listed)
    expect([result.state, result.suppressedHits, result.hits[0]?.basis]).toEqual(["MATCH", [], "IDENTIFIER"])
  })

  test("counts beyond the limit of hits: every hit must be suppressed before the name is CLEAR", () => {
    const many = Array.from({ length: 60 }, (_, at) => party({ entryId: `m${at}` }))
    const requests = SUPPLIER
    const all = many.flatMap((one) => [...judged(requests, one).values()].flat())
    const book = new Map([[screenedPartyDigest(requests) ?? "", all]])
    const run = (given: SuppressionBook) => screen(indexOf(...many), requests, judgeOf(given, requests, AT))
    expect([run(book).state, run(book).suppressedHits.length, run(book).hitCount]).toEqual(["CLEAR", 50, 0])
    const butOne = new Map([[screenedPartyDigest(requests) ?? "", all.slice(1)]])
    expect([run(butOne).state, run(butOne).hitCount]).toEqual(["POSSIBLE_MATCH", 1])
  })
})

describe("the suppressed party", () => {
  const entry = party({})
  const book = judged(SUPPLIER, entry)
  const { name } = SUPPLIER

  test.each<readonly [what: string, changes: Partial<ScreenQuery>]>([
    ["another letter case", { name: name.toUpperCase() }],
    ["other spaces", { name: ` ${name.replaceAll(" ", "  ")} ` }],
    ["full-width letters", { name: name.replace("K", "\uff2b") }],
    ["another threshold", { threshold: 0.8 }],
  ])("is the same with %s", (_what, changes) => {
    const requests = { ...SUPPLIER, ...changes }
    expect(screenedPartyDigest(requests)).toBe(screenedPartyDigest(SUPPLIER))
    expect(screenWith(book, requests, entry).suppressedHits).toHaveLength(1)
  })

  test.each<readonly [what: string, changes: Partial<ScreenQuery>]>([
    ["one word less", { name: name.replace(" Maritime", "") }],
    ["one word more", { name: `${name} Export` }],
    ["another letter", { name: name.replace("Karvolin", "Karvolan") }],
    ["another order of words", { name: "Maritime Karvolin LLC" }],
    ["another legal form", { name: name.replace("LLC", "Ltd") }],
    ["another type", { type: null }],
    ["an identifier", { identifiers: [{ scheme: "uei", value: "ABCDEFGHJKL1" }] }],
    ["a country", { countries: ["RU"] }],
    ["a birth date", { birthDates: ["1970-01-01"] }],
    ["an invisible character in a word", { name: name.replace("Karvolin", "Karvo\u200blin") }],
    ["a letter of another script that looks the same", { name: name.replace("Karvolin", "K\u0430rvolin") }],
    ["a part by another name", { name: `${name} dba Karvolan Maritime` }],
  ])("is different with %s", (_what, changes) => {
    const requests = { ...SUPPLIER, ...changes }
    expect(screenedPartyDigest(requests)).not.toBe(screenedPartyDigest(SUPPLIER))
    expect(screenWith(book, requests, entry).suppressedHits).toEqual([])
  })

  test("is none if the name cannot be read completely", () => {
    for (const unread of ["Karvolan \u6d77\u904b", "K\u0430rvolan", "", "   ", "a".repeat(400)]) {
      expect(screenedPartyDigest(query(unread))).toBeNull()
    }
  })

  test("has the same identifier in another case or with spaces, but not the same case-sensitive wallet", () => {
    const digest = (scheme: string, value: string) =>
      screenedPartyDigest({ ...SUPPLIER, identifiers: [{ scheme, value }] })
    expect(digest("lei", "5493001kjtiigc8y1r12")).toBe(digest("lei", "5493001KJTIIGC8Y1R12"))
    expect(digest("wallet", `0x${"aB".repeat(20)}`)).toBe(digest("wallet", `0x${"ab".repeat(20)}`))
    expect(digest("wallet", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT")).not.toBe(
      digest("wallet", "1boatSLRHtKNngkdXEeobR76b53LETtpyT"),
    )
  })
})

describe("the suppression of an entry", () => {
  const entry = party({
    countries: ["RU", "AE"],
    programs: ["A", "B"],
    names: [
      { text: LISTED, kind: "primary" },
      { text: "KMT", kind: "aka" },
    ],
  })
  const book = judged(SUPPLIER, entry)

  test("stays in another publication: other lines, other order of rows", () => {
    const later: Party = {
      ...entry,
      line: { file: "sdn.xml", number: 77 },
      names: [...entry.names].reverse(),
      countries: ["AE", "RU"],
      programs: ["B", "A"],
    }
    expect(entryHash(later)).toBe(entryHash(entry))
    expect(screenWith(book, SUPPLIER, later).state).toBe("CLEAR")
  })

  test.each<readonly [what: string, changes: Partial<Party>]>([
    ["a name", { names: [...entry.names, { text: "KMT Holding", kind: "aka" }] }],
    [
      "the kind of a name",
      {
        names: [
          { text: LISTED, kind: "primary" },
          { text: "KMT", kind: "weak" },
        ],
      },
    ],
    ["an identifier", { identifiers: [{ scheme: "tax", value: "123456789" }] }],
    ["a country", { countries: ["RU", "AE", "TR"] }],
    ["an address", { addresses: ["14 Naberezhnaya Street"] }],
    ["a program", { programs: ["A", "B", "C"] }],
    ["the measure", { measure: "hold" }],
    ["the list", { list: "SSI" }],
    ["the type", { type: "unknown" }],
    ["a birth date", { birthDates: ["1970"] }],
    ["an end", { validTo: "2027-01-01" }],
    ["its id", { entryId: "9" }],
  ])("ends when the list changes %s", (_what, changes) => {
    const later = { ...entry, ...changes }
    expect(entryHash(later)).not.toBe(entryHash(entry))
    const result = screenWith(book, SUPPLIER, later)
    expect([result.state, result.suppressedHits]).toEqual(["POSSIBLE_MATCH", []])
  })

  test("ends when the entry leaves its list, because the removed entry was never judged", () => {
    const [gone] = removedParties({ parties: [entry], removed: [] }, [], AT)
    if (!gone) throw new Error("nothing was removed")
    expect(screenWith(book, SUPPLIER, gone.party).state).toBe("POSSIBLE_MATCH")
  })
})
