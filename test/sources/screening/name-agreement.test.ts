import { describe, expect, test } from "bun:test"
import { compareNames } from "../../../src/sources/screening/name-agreement.ts"

const AGREE: readonly (readonly [given: string, registered: string])[] = [
  ["Harbor Light Instruments LLC", "HARBOR LIGHT INSTRUMENTS, L.L.C."],
  ["Harbor Light Instruments", "HARBOR LIGHT INSTRUMENTS, L.L.C."],
  ["Instruments Harbor Light LLC", "Harbor Light Instruments LLC"],
  ["Lightharbor Instruments LLC", "LIGHT HARBOR INSTRUMENTS LLC"],
  ["The Meridian Tool Company", "MERIDIAN TOOL COMPANY"],
  ["Meridian Tool Co", "THE MERIDIAN TOOL COMPANY"],
  ["Intl Meridian Machines Corp", "INTERNATIONAL MERIDIAN MACHINES CORPORATION"],
  ["A&B Tools Inc", "A & B TOOLS INC."],
  ["Société Méridienne SA", "SOCIETE MERIDIENNE SA"],
  ["Меридиан ООО", "OOO Meridian"],
  ["3M Co", "3M COMPANY"],
]

const DISAGREE: readonly (readonly [given: string, registered: string])[] = [
  ["Harbor Light Instruments Inc", "HARBOR LIGHT INSTRUMENTS, L.L.C."],
  ["Harbor Light Instruments Holdings LLC", "HARBOR LIGHT INSTRUMENTS, L.L.C."],
  ["Harbor Light LLC", "HARBOR LIGHT INSTRUMENTS, L.L.C."],
  ["Harbor Light Insurance LLC", "HARBOR LIGHT INSTRUMENTS, L.L.C."],
  ["Meridian Fund 2 LP", "Meridian Fund 3 LP"],
  ["Other Firm c/o Harbor Light Instruments LLC", "Harbor Light Instruments LLC"],
  ["Other Firm / Harbor Light Instruments LLC", "Harbor Light Instruments LLC"],
  ["Other Firm dba Harbor Light Instruments LLC", "Harbor Light Instruments LLC"],
  ["Harbor Light Instrum\u0435nts LLC", "Harbor Light Instruments LLC"],
  ["IBM", "INTERNATIONAL BUSINESS MACHINES CORPORATION"],
  ["LLC", "Harbor Light Instruments LLC"],
  ["", "Harbor Light Instruments LLC"],
  ["—", "—"],
]

describe("two spellings of a registered name agree", () => {
  test.each(AGREE)('"%s" for "%s"', (given, registered) => {
    expect(compareNames(given, [registered]).agrees).toBe(true)
  })
})

describe("a different name does not agree", () => {
  test.each(DISAGREE)('"%s" for "%s"', (given, registered) => {
    expect(compareNames(given, [registered]).agrees).toBe(false)
  })
})

test("equal characters agree even in an unsupported script", () => {
  expect(compareNames("株式会社メリディアン", ["株式会社メリディアン"])).toEqual({ agrees: true, score: 1 })
  expect(compareNames("株式会社メリディアン", ["株式会社オリエント"]).agrees).toBe(false)
})

test("the nearest of several registered forms of a name counts", () => {
  const forms = ["Публичное акционерное общество Меридиан", "Meridian PJSC"]
  expect(compareNames("Meridian PJSC", forms)).toEqual({ agrees: true, score: 1 })
})

test("names of the greatest length that the schema allows are compared quickly", () => {
  const long = "Harbor ".repeat(50).slice(0, 350)
  expect(
    compareNames(
      long,
      Array.from({ length: 32 }, () => long),
    ).score,
  ).toBe(1)
  expect(
    compareNames(
      long,
      Array.from({ length: 32 }, () => `X ${long}`),
    ).agrees,
  ).toBe(false)
})
