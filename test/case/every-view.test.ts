/**
 * A stored delivery says the same in `show`, in `verify`, in its JSON, on the page `/verify` and at the desk: every delivery of
 * every build.
 */
import { describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { canonicalBytes } from "../../src/core/canonical-json.ts"
import { formatInstant, instant, SECOND } from "../../src/core/time.ts"
import { html } from "../../src/pages/html.ts"
import { ISSUER } from "../corpus/build-list.ts"
import { BUILDS, folderOf, isDecision, type StoredBundle, storedIn } from "../corpus/stored-bundle.ts"
import { howMany, sample } from "../fixtures/long.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { caseText, type Given, GREEN, unwrapped, type Views, viewsOf, wordsOf } from "./views-of.ts"

const test = slowTests(import.meta.path)

const builds = BUILDS.map((build) => {
  const issuer = readFileSync(join(folderOf(build), ISSUER), "utf8")
  return storedIn(build).stored.map((one) => ({ one, issuer, name: `${build} ${one.product} ${one.case}` }))
})
const stored = builds.flat()
type Stored = (typeof stored)[number]
const counted = howMany(builds.flat().length, stored.length)

const statedBy = ({ bundle }: StoredBundle) => (isDecision(bundle) ? bundle.delivery : bundle.answer)

/** As its reader has it a second after the sale. */
function inTime({ one, issuer }: Stored): Given & { readonly at?: string } {
  return { document: one.bytes, issuer, now: instant(statedBy(one).valid_as_of) + SECOND }
}

const made = new Map<Stored, Promise<Views>>()

function viewsInTime(each: Stored): Promise<Views> {
  const views = made.get(each) ?? viewsOf(inTime(each))
  made.set(each, views)
  return views
}

const firstLine = (text: string) => text.slice(0, text.indexOf("\n"))
const secondLine = (text: string) => text.split("\n")[1] ?? ""

function expectOneCase(name: string, views: Views): void {
  const { view, page, verifyJson, showText, verifyText, showPage, verifyPage, deskPage } = views
  const one = view.case
  if (one === null) throw new Error(`${name}: no case`)
  expect([name, page.case]).toEqual([name, one])
  expect([name, verifyJson.case]).toEqual([name, one])
  for (const text of [showText, verifyText]) expect([name, text.includes(caseText(one))]).toEqual([name, true])
  for (const markup of [showPage, verifyPage, deskPage ?? ""]) {
    const words = wordsOf(markup)
    const rows = [...one.hits, ...one.gates].flatMap(({ compared }) => compared)
    const shown = [
      ...one.stopped_by.flatMap(({ code, why }) => [code, why]),
      ...one.ways.flatMap(({ words: way }) => [way]),
      ...rows.flatMap(({ what, asked, found, source }) => [what, asked, found, source]),
    ]
    const missing = shown.filter((text) => text !== null && !words.includes(html`${text}`.text))
    expect([name, missing]).toEqual([name, []])
  }
}

test(`has one case: the same reasons, ways and compared rows: ${counted} deliveries`, async () => {
  expect(stored.length).toBeGreaterThan(150)
  for (const each of stored) expectOneCase(each.name, await viewsInTime(each))
})

test(`has one headline: the first line of verify, its JSON and the page; show says it of what it did not check: ${counted} deliveries`, async () => {
  const seen = new Set<string>()
  for (const each of stored) {
    const { name, one } = each
    const { view, page, verifyJson, verifyText, showPage, verifyPage, deskPage } = await viewsInTime(each)
    const headline = verifyJson.headline ?? ""
    seen.add(headline.replace(/until .*/, "until"))
    expect([name, page.headline?.words, firstLine(verifyText)]).toEqual([name, headline, headline])
    expect([name, verifyPage.includes(`<h2>${headline}</h2>`)]).toEqual([name, true])
    expect([name, deskPage?.includes(`<h1>${headline}</h1>`)]).toEqual([name, true])
    expect([name, secondLine(verifyText)]).toEqual([name, verifyText.match(/^genuine +(.*)$/m)?.[1] ?? ""])
    if (view.case?.permission === "HOLD" || view.case?.permission === "STOP")
      expect([name, showPage.includes(`<h1>${headline}</h1>`)]).toEqual([name, true])
    else {
      expect([name, /<h1>Do not (pay|go on) yet: this document was not checked<\/h1>/.test(showPage)]).toEqual([
        name,
        true,
      ])
      const end = formatInstant(instant(statedBy(one).valid_until))
      const [, day = ""] = /until \d\d:\d\d UTC (.*)/.exec(headline) ?? []
      const said = wordsOf(showPage).match(/It says: (.*?, until \d\d:\d\d UTC) on/)?.[1]
      expect([name, end, said]).toEqual([name, end, headline.slice(0, -day.length - 1)])
    }
  }
  expect([...seen].toSorted()).toEqual([
    "Do not go on: hold",
    "Do not go on: stop",
    "Do not pay: hold",
    "Do not pay: stop",
    "Go on only if each condition below is met, until",
    "Go on, until",
    "Pay only if each condition below is met, until",
    "Pay, until",
  ])
})

test(`has no green on a page that forbids the payment or the step: ${counted} deliveries`, async () => {
  for (const each of stored) {
    const { view, showPage, verifyPage, deskPage } = await viewsInTime(each)
    const isPermitted = view.case?.permission === "PAY"
    expect([each.name, GREEN.test(verifyPage)]).toEqual([each.name, isPermitted])
    expect([each.name, GREEN.test(deskPage ?? "")]).toEqual([each.name, isPermitted])
    expect([each.name, GREEN.test(showPage)]).toEqual([each.name, false])
  }
})

test(`is the same for the answer as it was delivered, with its capsule: ${counted} deliveries`, async () => {
  for (const each of stored) {
    const { one, issuer, name } = each
    const given = { document: one.answer, issuer, capsule: one.capsule, now: inTime(each).now }
    const { verifyJson, page, verifyText } = await viewsOf(given)
    const whole = await viewsInTime(each)
    expect([name, verifyJson.headline]).toEqual([name, whole.verifyJson.headline])
    expect([name, page.case]).toEqual([name, verifyJson.case])
    expect([name, verifyJson.case?.missing]).toEqual([name, ["REQUEST", "FACTS"]])
    expect([name, verifyJson.case?.stopped_by]).toEqual([name, whole.verifyJson.case?.stopped_by as never])
    expect([name, unwrapped(verifyText).includes("bizauth export ID --data DIR --out BUNDLE.json")]).toEqual([
      name,
      true,
    ])
  }
})

describe("the first words about an answer that permits something are Do not", () => {
  const all = stored.filter(({ one }) => /^(ALLOW|APPROVE|CONDITIONAL)/.test(statedBy(one).decision))
  const permitting = sample(all, 20)
  const says = async (given: Given) => {
    const { verifyText, verifyJson, page, verifyPage } = await viewsOf(given)
    expect([verifyJson.headline, page.headline?.words]).toEqual([firstLine(verifyText), firstLine(verifyText)])
    expect(GREEN.test(verifyPage)).toBe(false)
    return { words: firstLine(verifyText), one: verifyJson.case }
  }

  test(`if it is not genuine or not checked, and then no case is shown: ${howMany(all.length, 20)} answers`, async () => {
    for (const each of permitting) {
      const given = inTime(each)
      const stretched = JSON.parse(new TextDecoder().decode(given.document))
      const answer = stretched.delivery ?? stretched.answer
      answer.valid_until = "2999-01-01T00:00:00.000Z"
      const said = await says({ ...given, document: canonicalBytes(stretched) })
      expect([each.name, said]).toEqual([each.name, { words: "Do not rely on it", one: null }])
      expect([each.name, await says({ ...given, issuer: '{"keys":[]}' })]).toEqual([
        each.name,
        { words: "Do not rely on it yet", one: null },
      ])
    }
  })

  test(`if it expired, is not yet valid, or was judged for another time: ${howMany(all.length, 20)} answers`, async () => {
    for (const each of permitting) {
      const given = inTime(each)
      const { valid_as_of: from, valid_until: end } = statedBy(each.one)
      const doNot = /^Do not (pay|go on): /
      for (const [now, at, words] of [
        [instant(end), undefined, /the answer expired at \d\d:\d\d UTC today$/],
        [instant(end) + 400 * 86_400_000, undefined, /the answer expired at \d\d:\d\d UTC on /],
        [instant(from) - 86_400_000, undefined, /the answer is not valid before \d\d:\d\d UTC on /],
        [instant(end) + SECOND, from, /it was judged for \d\d:\d\d UTC on .*, not for now$/],
        [instant(from) - SECOND * 40, from, /it was judged for \d\d:\d\d UTC on .*, not for now$/],
      ] as const) {
        const said = await says({ ...given, now, ...(at !== undefined && { at }) })
        expect([each.name, doNot.test(said.words), words.test(said.words), said.one !== null]).toEqual([
          each.name,
          true,
          true,
          true,
        ])
      }
    }
  })
})
