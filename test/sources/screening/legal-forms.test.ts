import { expect, test } from "bun:test"
import { isMistypedForm, isNearForm, takeLegalForms } from "../../../src/sources/screening/legal-forms.ts"
import { ELF_FORMS } from "../../../src/sources/screening/words/elf-forms.ts"

test("the longest legal form is removed, at either end of the name", () => {
  expect(takeLegalForms(["karvolan", "private", "limited"]).tokens).toEqual(["karvolan"])
  expect(takeLegalForms(["open", "joint", "stock", "company", "karvolan"]).tokens).toEqual(["karvolan"])
})

test("two letters at the start of a short name belong to the name", () => {
  expect(takeLegalForms(["ab", "foods"]).tokens).toEqual(["ab", "foods"])
})

test("a name of only legal forms leaves no word", () => {
  expect(takeLegalForms(["limited", "company"]).tokens).toEqual([])
})

test("a spelled-out form with one wrong letter is still the form", () => {
  expect(takeLegalForms(["obshchestvo", "s", "ogranichenoi", "otvetstvennostyu", "karvolan"]).tokens).toEqual([
    "karvolan",
  ])
})

test("a mistyped short form is neither the form itself nor a longer word", () => {
  expect(["icn", "lc", "crp", "sua"].map(isMistypedForm)).toEqual([true, true, true, true])
  expect(["inc", "karvol", "bank"].map(isMistypedForm)).toEqual([false, false, false])
})

test.each([
  ["joint muromtep open stock company", "muromtep"],
  ["ogranichennoi s signum obshchestvo otvetstvennostyu", "signum"],
  ["lama obshchestvo aktsionernoe", "lama"],
  ["obshchestvo s ogranichenqoi karvolan otvetstvennostyu", "karvolan"],
])("a spelled-out form with its words apart is the form: %s", (words, name) => {
  const { tokens, bits } = takeLegalForms(words.split(" "))
  expect(tokens).toEqual([name])
  expect(bits).toBeGreaterThan(0)
})

test("a form with a missing word is not removed", () => {
  expect(takeLegalForms(["public", "stock", "karvolan"]).tokens).toEqual(["public", "stock", "karvolan"])
})

test.each([
  ["karvolan spolka z ograniczona odpowiedzialnoscia", 1],
  ["karvolan societe par actions simplifiee", 4],
  ["karvolan akciova spolecnost", 4],
  ["karvolan kommanditgesellschaft auf aktien", 8],
])("GLEIF's forms are known: %s", (words, bit) => {
  expect(takeLegalForms(words.split(" "))).toEqual({ tokens: ["karvolan"], bits: bit })
})

test("GLEIF's forms contain no everyday word of names", () => {
  const forms = new Set(Object.values(ELF_FORMS).flatMap((forms) => forms.split(",")))
  for (const word of [
    "bank",
    "fund",
    "trust",
    "foundation",
    "group",
    "sam",
    "son",
    "capital",
    "development corporation",
  ])
    expect(forms).not.toContain(word)
})

test("a known word is never corrected to a similar word", () => {
  expect(takeLegalForms(["karvolan", "limited"]).tokens).toEqual(["karvolan"])
  expect(takeLegalForms(["capitol", "hill"]).tokens).toEqual(["capitol", "hill"])
})

test("a form of two letters may also be mistyped, but a longer word is not such a form", () => {
  expect(["ed", "ro", "a", "pvst"].map(isNearForm)).toEqual([true, true, true, true])
  expect(["karvolan", "xqzj", "ltd"].map(isNearForm)).toEqual([false, false, false])
})
