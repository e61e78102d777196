import { expect, test } from "bun:test"
import { PAIR_VALUE_LIMIT } from "../../../src/sources/screening/hash-pairs.ts"
import { requireNumbered } from "../../../src/sources/screening/listed-names.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { LONG } from "../../fixtures/long.ts"
import { indexOf, party, query } from "./sample-parties.ts"

test("an index knows its snapshots and its size, without unreadable names", () => {
  const names = [
    { text: "Karvolan", kind: "primary" as const },
    { text: "- – -", kind: "native" as const },
  ]
  const index = new NameIndex({ snapshotIds: { US_OFAC_SDN: "s1" }, parties: [party({ names })] })
  expect(index.snapshotIds).toEqual({ US_OFAC_SDN: "s1" })
  expect(index.size).toEqual({ parties: 1, names: 1 })
})

test("two indexes side by side answer from their own lists", () => {
  const old = indexOf(party({ name: "Karvolan Maritime Trading" }))
  const next = indexOf(party({ name: "Pellworth Grain Elevators" }))
  expect(screen(old, query("Karvolan Maritime Trading")).state).toBe("MATCH")
  expect(screen(next, query("Karvolan Maritime Trading")).state).toBe("CLEAR")
  expect(screen(old, query("Karvolan Maritime Trading")).state).toBe("MATCH")
})

test("the best name of a party counts, and the hit has its kind", () => {
  const names = [
    { text: "Pellworth Grain", kind: "primary" as const },
    { text: "Karvolan Maritime", kind: "fka" as const },
    { text: "Банк Карволан", kind: "native" as const },
  ]
  const index = indexOf(party({ names }))
  expect(screen(index, query("Karvolan Maritime")).hits[0]).toMatchObject({ nameKind: "fka", score: 1 })
  expect(screen(index, query("Bank Karvolan")).hits[0]).toMatchObject({
    nameKind: "native",
    matchedName: "Банк Карволан",
  })
})

const short = (count: number) => Array.from({ length: count }, () => ({ text: "kv", kind: "aka" as const }))

test("a party of more than 65,535 names is refused", () => {
  expect(() => indexOf(party({ names: short(65_536) }))).toThrow(RangeError)
})

test("more names than the index can number are refused, never omitted", () => {
  expect(() => requireNumbered(PAIR_VALUE_LIMIT, "names")).toThrow(RangeError)
  expect(requireNumbered(PAIR_VALUE_LIMIT - 1, "names")).toBeUndefined()
})

// A million names take seconds.
test.skipIf(!LONG)("an index of a million names is refused (BIZAUTH_LONG=1)", () => {
  const parties = Array.from({ length: 17 }, () => party({ names: short(65_000) }))
  expect(() => new NameIndex({ snapshotIds: {}, parties })).toThrow(RangeError)
})
