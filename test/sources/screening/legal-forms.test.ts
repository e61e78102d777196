import { expect, test } from "bun:test"
import { isMistypedForm, takeLegalForms } from "../../../src/sources/screening/legal-forms.ts"

test("the longest form wins, wherever it stands", () => {
  expect(takeLegalForms(["karvolan", "private", "limited"]).tokens).toEqual(["karvolan"])
  expect(takeLegalForms(["open", "joint", "stock", "company", "karvolan"]).tokens).toEqual(["karvolan"])
})

test("two letters at the start of a short name are the name", () => {
  expect(takeLegalForms(["ab", "foods"]).tokens).toEqual(["ab", "foods"])
})

test("a name of only legal forms leaves nothing", () => {
  expect(takeLegalForms(["limited", "company"]).tokens).toEqual([])
})

test("one wrong letter in a spelled-out form is still the form", () => {
  expect(takeLegalForms(["obshchestvo", "s", "ogranichenoi", "otvetstvennostyu", "karvolan"]).tokens).toEqual([
    "karvolan",
  ])
})

test("a mistyped short form is told from the form and from a longer word", () => {
  expect(["icn", "lc", "crp", "sua"].map(isMistypedForm)).toEqual([true, true, true, true])
  expect(["inc", "karvol", "bank"].map(isMistypedForm)).toEqual([false, false, false])
})
