import { expect } from "bun:test"
import fc from "fast-check"
import { obligationKey } from "../../src/checks/obligation.ts"
import { runs } from "../fixtures/long.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

test.each([
  "INV-2026-42",
  " inv-2026-42 ",
  "Inv - 2026 - 42",
  "ＩＮＶ-2026-42",
  "INV-\u200b2026-42",
  "inv-2026-\u00a042",
])("%j is the same obligation as inv-2026-42", (spelling) => expect(obligationKey(spelling)).toBe("inv-2026-42"))

test("a sharp s and its upper case have one key", () => {
  expect(obligationKey("STRASSE-1")).toBe(obligationKey("Straße-1"))
})

test("different numbers stay different", () => {
  expect(obligationKey("INV-1")).not.toBe(obligationKey("INV-11"))
})

test("a combining mark joins its letter after the space between them is removed", () => {
  expect(obligationKey("INV-A\u00af1")).toBe(obligationKey("inv-\u01011"))
})

test("a sharp s and a sigma have the same key in upper and lower case, at any place in a word", () => {
  expect(["INV-STRAẞE", "inv-straße", "INV-STRASSE"].map(obligationKey)).toEqual(Array(3).fill("inv-strasse"))
  expect(["ΟΔΟΣ 1", "οδος1", "Οδοσ 1"].map(obligationKey)).toEqual(Array(3).fill("οδοσ1"))
})

test("the key of a key is the same key", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (id) => {
      expect(obligationKey(obligationKey(id))).toBe(obligationKey(id))
    }),
    { numRuns: runs(2000) },
  )
})
