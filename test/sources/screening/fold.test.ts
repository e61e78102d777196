import { describe, expect, test } from "bun:test"
import { foldName, NAME_LENGTH_MAX, READINGS_MAX } from "../../../src/sources/screening/fold.ts"

const readings = (name: string) => foldName(name).readings
const problems = (name: string) => foldName(name).problems

describe("a name is read as plain lower-case letters", () => {
  test.each([
    ["Société Générale", "societe generale"],
    ["Łódź Straße Ørsted", "lodz strasse orsted"],
    ["İstanbul Ilıca", "istanbul ilica"],
    ["ＫＡＲＶＯＬＡＮ", "karvolan"],
    ["Банк Развития", "bank razvitiya"],
    ["Τράπεζα", "trapeza"],
    ["ᴋᴀʀᴠᴏʟᴀɴ", "karvolan"],
    ["K\u0336a\u0336r\u0336volan", "karvolan"],
    ["Unit ٦١", "unit 61"],
    ["Acme™ O’Neil", "acme  o'neil"],
  ])("%s is %s without a problem", (name, expected) => {
    expect(foldName(name)).toEqual({ readings: [expected], problems: [] })
  })
})

test.each([
  ["Arabic", "بنك"],
  ["Hebrew", "בנק"],
])("%s letters are transcribed and reported", (_, bank) => {
  expect(foldName(bank)).toEqual({ readings: [expect.stringMatching(/^bn[kq]$/)], problems: ["SCRIPT_UNSUPPORTED"] })
})

test("a name with more readings than the limit is reported, never silently read in part", () => {
  for (const name of ["Pellworth\u200bKARVOLAN 7rade1 4711 СОСО", "KARVOLAN\u200bAIR Un1on 4711 СОСО"]) {
    expect(readings(name)).toHaveLength(READINGS_MAX)
    expect(problems(name)).toContain("TOO_MANY_PARTS")
  }
  expect(problems("Karvo\u200blan")).toEqual([])
})

describe("an unreadable name is reported", () => {
  test.each([
    ["華為", "SCRIPT_WITHOUT_TABLE"],
    ["삼성", "SCRIPT_WITHOUT_TABLE"],
    ["kаrvolan", "MIXED_SCRIPT_WORD"],
    ["K\ufffdrvolan", "UNREADABLE_CHARACTER"],
    ["K?rvolan", "UNREADABLE_CHARACTER"],
    ["Karvolan \ue000", "UNREADABLE_CHARACTER"],
    ["Karvolan 🅱", "UNREADABLE_CHARACTER"],
    ["Karvolan \u0007", "UNREADABLE_CHARACTER"],
    ["\u202enalovraK", "DIRECTION_OVERRIDE"],
  ] as const)("%p has the problem %s", (name, problem) => {
    expect(problems(name)).toContain(problem)
  })

  test("a name of exactly the limit is read completely; one code point more is TOO_LONG", () => {
    expect(problems("a".repeat(NAME_LENGTH_MAX))).toEqual([])
    expect(problems("a".repeat(NAME_LENGTH_MAX + 1))).toEqual(["TOO_LONG"])
    expect(readings("a".repeat(100_000))[0]).toHaveLength(NAME_LENGTH_MAX)
  })

  test("the limit counts code points, not UTF-16 units", () => {
    expect(problems("𝐀".repeat(NAME_LENGTH_MAX))).toEqual([])
    expect(problems("𝐀".repeat(NAME_LENGTH_MAX + 1))).toEqual(["TOO_LONG"])
  })
})

describe("ambiguous names have several readings", () => {
  test("a word of only Cyrillic look-alikes is read by sound and by shape", () => {
    expect(readings("СОМРАСТ")).toEqual(["somrast", "compact"])
    expect(problems("СОМРАСТ")).toEqual([])
  })

  test("a Cyrillic word that looks like no Latin word has one reading", () => {
    expect(readings("Газпром")).toEqual(["gazprom"])
  })

  test("Greek capitals look like other Latin letters than Greek small letters", () => {
    expect(readings("ΝΟΚΙΑ")).toEqual(["nokia"])
    expect(readings("ΒΑΝΚ")).toEqual(["vank", "bank"])
  })

  test("an invisible character is read as nothing and as a space", () => {
    expect(readings("Karvo\u200blan")).toEqual(["karvolan", "karvo lan"])
  })

  test("a capital i among small letters and a small L among capitals are read both ways", () => {
    expect(readings("KarvoIan")).toEqual(["karvoian", "karvolan"])
    expect(readings("lRAN AlR")).toEqual(["lran alr", "iran air"])
    expect(readings("Karvolan Inc")).toEqual(["karvolan inc"])
  })

  test("a word of mixed scripts is read by its shape", () => {
    expect(readings("Kаrvоlаn")).toEqual(["karvolan"])
  })
})
