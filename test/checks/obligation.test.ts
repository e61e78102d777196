import { expect, test } from "bun:test"
import fc from "fast-check"
import { obligationKey } from "../../src/checks/obligation.ts"
import { runs } from "../fixtures/long.ts"

test.each([
  "INV-2026-42",
  " inv-2026-42 ",
  "Inv - 2026 - 42",
  "ＩＮＶ-2026-42",
  "INV-\u200b2026-42",
  "inv-2026-\u00a042",
])("%j is the same obligation", (spelling) => expect(obligationKey(spelling)).toBe("inv-2026-42"))

test("sharp s and its upper case meet", () => {
  expect(obligationKey("STRASSE-1")).toBe(obligationKey("Straße-1"))
})

test("different numbers stay different", () => {
  expect(obligationKey("INV-1")).not.toBe(obligationKey("INV-11"))
})

test("a mark that a space kept from its letter is one with it", () => {
  expect(obligationKey("INV-A\u00af1")).toBe(obligationKey("inv-\u01011"))
})

test("a sharp s and a sigma are the same large and small, wherever they stand", () => {
  expect(["INV-STRAẞE", "inv-straße", "INV-STRASSE"].map(obligationKey)).toEqual(Array(3).fill("inv-strasse"))
  expect(["ΟΔΟΣ 1", "οδος1", "Οδοσ 1"].map(obligationKey)).toEqual(Array(3).fill("οδοσ1"))
})

test("the key of a key is itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (id) => {
      expect(obligationKey(obligationKey(id))).toBe(obligationKey(id))
    }),
    { numRuns: runs(2000) },
  )
})
