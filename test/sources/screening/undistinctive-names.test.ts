import { describe, expect, test } from "bun:test"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { EARLIER_SCORERS } from "../../../src/sources/screening/scorer.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const best = (index: NameIndex, ...ask: Parameters<typeof query>) => screen(index, query(...ask)).hits[0]

describe("a listed name of only legal forms or stop words", () => {
  const names = ["Pellworth Grain Elevators", "LIMITED", "L.P.", "THE", "The Corporation Company, Inc."]
  const listed = party({ names: names.map((text) => ({ text, kind: "aka" })) })
  const index = indexOf(listed)
  const matched = (...ask: Parameters<typeof query>) => best(index, ...ask)?.matchedName

  test.each([
    "Harbor Light (UK) Limited",
    "Harbor Light (UK) Limted",
    "Harbor Light / The / Limited",
    "Harbor Light dba Limited",
    "Harbor Light, Limited Partnership",
    "Harbor Light (L.L.P.) Limited",
    "Harbor Light Inc.",
  ])("is no hit for a part of another name: %s", (name) => {
    for (const type of ["org", null] as const) expect(screen(index, query(name, { type })).state).toBe("CLEAR")
    expect(screen(index, query(name, { type: "person" })).hits).toEqual([])
  })

  test.each([
    ["Limited", "LIMITED"],
    [" limited. ", "LIMITED"],
    ["LP", "L.P."],
    ["The", "THE"],
    ["THE CORPORATION COMPANY INC", "The Corporation Company, Inc."],
  ])("is a hit for an equal whole name: %s", (name, expected) => {
    for (const type of ["org", null] as const) expect(matched(name, { type })).toBe(expected)
    const [hit] = screen(index, query(name)).hits
    expect(hit).toMatchObject({ score: 1, basis: "EXACT_NAME", tier: "HOLD", explanation: { informationSum: 0 } })
    expect(hit?.explanation.pairs.map((pair) => pair.query).join("")).toBe(name.toLowerCase().replace(/[^a-z]/g, ""))
  })

  test("without an equal listed name proves nothing", () => {
    for (const name of ["Company", "Inc.", "The Company"])
      expect(screen(index, query(name))).toMatchObject({ state: "INSUFFICIENT", hits: [] })
  })

  test("does not hide the other names of its party", () => {
    expect(matched("Pellworth Grain Elevators (UK) Limited")).toBe("Pellworth Grain Elevators")
  })

  test.each([
    ["a word one letter away from a legal form", "Otkritie Ltd", "Otkritie (Cyprus) Limited", "org"],
    ["a spelling that only GLEIF's table has as a form", "SPP", "SPP (Slovakia) Limited", "org"],
    ["a person's name of particles", "LE, Van", "Van Le", "person"],
  ] as const)("is not %s", (_, name, queried, type) => {
    expect(best(indexOf(party({ name, type })), queried, { type })?.matchedName).toBe(name)
  })

  test("is compared as before by the scorer of an earlier version", () => {
    const earlier = EARLIER_SCORERS.find(({ version }) => version === "svc-name-score/1.3.0")
    const before = new NameIndex({ snapshotIds: {}, parties: [listed] }, earlier)
    expect(screen(before, query("Harbor Light (UK) Limited"))).toMatchObject({
      state: "POSSIBLE_MATCH",
      hits: [{ matchedName: "LIMITED" }],
      scorerVersion: "svc-name-score/1.3.0",
      parameterDigest: earlier!.parameterDigest,
    })
  })
})
