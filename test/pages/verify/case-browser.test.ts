/** The page `/verify` with the case of a document, in a real Chromium: three widths, both themes, hostile, Arabic and long names. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { SECOND } from "../../../src/core/time.ts"
import { caseParts } from "../../../src/pages/parts/case-parts.ts"
import { verifyRoute } from "../../../src/pages/verify-route.ts"
import { htmlOf } from "../../../src/pages/write-part.ts"
import { MARK_SVG } from "../../../src/products/agent-id/mark.ts"
import { viewsOf } from "../../case/views-of.ts"
import { ISSUER } from "../../corpus/build-list.ts"
import { BUILDS, folderOf, storedIn } from "../../corpus/stored-bundle.ts"
import {
  accessibilityFaults,
  brokenWords,
  CASE_VIEWS,
  greenElements,
  type OpenedPage,
  openChromium,
  openPage,
  overflowing,
} from "../../fixtures/chromium.ts"
import { DECIDED_AT, deliveredDecision, issuerJwks } from "../../fixtures/decision.ts"
import { PAGE_NAMES } from "../../fixtures/hostile-names.ts"
import { heldByEntries, listedEntry } from "../../fixtures/listed-entry.ts"
import { LONG, sample } from "../../fixtures/long.ts"
import { listening, testShell } from "../../fixtures/shell.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { checkInPage } from "./drive-page.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

const JWKS = JSON.stringify(issuerJwks())
const STORED = BUILDS.flatMap((build) => {
  const issuer = readFileSync(join(folderOf(build), ISSUER), "utf8")
  return storedIn(build).stored.map((one) => ({ ...one, build, issuer }))
})
const NOW = DECIDED_AT + SECOND

/** A hit whose name, aliases and remarks are this text. */
function heldBy(text: string): Uint8Array {
  const entry = listedEntry({
    names: [
      { text, kind: "primary", quality: "STRONG" },
      ...Array.from({ length: 8 }, (_, at) => alias(`${text} ${at}`)),
    ],
    addresses: [{ text: `${text}, Calle 4, Havana` }],
    identifiers: [{ label: "Registration Number and Place of Registration", value: `CU-${"7".repeat(60)}` }],
    remarks: [{ label: "Remarks", text: `${text}. ${"Linked to a shipping line of Havana. ".repeat(20)}` }],
  })
  const supplier = { legal_name: text }
  return heldByEntries({ supplier, hits: [{ matched_name: text, entry }, { entry_id: "307" }] }).bundle
}

const alias = (text: string) => ({ text, kind: "alias", quality: "WEAK" }) as const

let served: ReturnType<typeof listening>
let browser: Browser
beforeAll(async () => {
  const { shell } = testShell()
  const site = { issuerName: "Example Decisions", baseUrl: "https://svc.example" }
  const jwks = new TextEncoder().encode(JWKS)
  served = listening(shell, [verifyRoute({ shell, site, jwks: () => jwks, markSvg: MARK_SVG })])
  browser = await openChromium()
})
afterAll(async () => {
  await browser?.close()
  await served?.[Symbol.asyncDispose]()
})

/** Verifies a document in the page, whose clock says {@link NOW}. */
async function verifyIn(page: Page, document: Uint8Array, issuer = JWKS) {
  await page.evaluate(`Date.now = () => ${NOW}`)
  const files = { "document.json": document, "issuer.jwks.json": issuer }
  const inputs = { files: { document: ["document.json"], issuer: ["issuer.jwks.json"] }, texts: {}, isSandbox: false }
  const [shown] = await checkInPage(page, files, [inputs])
  if (shown === undefined) throw new Error("the page shows nothing")
  return shown
}

const names = Object.entries(PAGE_NAMES)

describe.each(CASE_VIEWS)("at $name", (view) => {
  let opened: OpenedPage
  beforeAll(async () => {
    opened = await openPage(browser, `${served.origin}/verify`, view)
  })
  afterAll(() => opened?.[Symbol.asyncDispose]())

  // Each view has a name of its own, and each name two views: axe reads a page for seconds.
  const own = names.filter((_, at) => LONG || at === CASE_VIEWS.indexOf(view) % names.length)
  test.each(own)("a case with a name of kind %s fits, and has no accessibility fault and no green", async (_, text) => {
    const { page, requested, complaints } = opened
    const { band } = await verifyIn(page, heldBy(text))
    expect(band.slice(0, 2)).toEqual(["Do not pay: hold", "Genuine and current"])
    expect(await overflowing(page)).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
    expect(await brokenWords(page)).toEqual([])
    expect(await greenElements(page)).toEqual([])
    expect(await page.evaluate("document.querySelectorAll('main img, main script').length")).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    expect(complaints).toEqual([])
    expect(requested).toEqual([`${served.origin}/verify`])
  })

  test("the permission is the largest text, above all else of the result", async () => {
    const { page } = opened
    await verifyIn(page, heldBy("Harbor Light Instruments LLC"))
    const size = "(element) => Number.parseFloat(getComputedStyle(element).fontSize)"
    expect(
      await page.evaluate(`(${size})(document.getElementById("result-title")) ===
        Math.max(...[...document.querySelectorAll("main *")].map(${size}))`),
    ).toBe(true)
    expect(await page.evaluate("document.querySelector('#result :is(h2, h3, p, dl, table)').id")).toBe("result-title")
  })
})

describe("on one page", () => {
  let opened: OpenedPage
  beforeAll(async () => {
    opened = await openPage(browser, `${served.origin}/verify`, CASE_VIEWS[4] ?? CASE_VIEWS[0]!)
  })
  afterAll(() => opened?.[Symbol.asyncDispose]())

  /** Each is verified with the keys of its issuer. What it says does not depend on the clock, except its headline. */
  const documents: readonly (readonly [name: string, document: () => Uint8Array, issuer: string])[] = [
    ...names.map(([kind, text]) => [`a case with a name of kind ${kind}`, () => heldBy(text), JWKS] as const),
    ...sample(STORED, 8).map(
      ({ build, product, case: name, bytes, issuer }) => [`${build} ${product} ${name}`, () => bytes, issuer] as const,
    ),
  ]

  test.each(documents)("%s is node for node what a server writes", async (_, make, issuer) => {
    const { page } = opened
    const document = make()
    await verifyIn(page, document, issuer)
    const { page: verdict } = await viewsOf({ document, issuer, now: NOW })
    const parts = verdict.case ? caseParts(verdict.case, { heading: "h3", reasonHref: null }) : []
    const isSame = await page.evaluate(
      `new DOMParser().parseFromString(${JSON.stringify(`<div id="result-case">${htmlOf(...parts).text}</div>`)}, "text/html")
        .getElementById("result-case").isEqualNode((document.getElementById("result-case").normalize(), document.getElementById("result-case")))`,
    )
    expect([parts.length > 5, isSame]).toEqual([true, true])
  })

  test("only a permission is green; what is not genuine, not checked or expired has no case", async () => {
    const { page } = opened
    const { bundle } = deliveredDecision()
    expect((await verifyIn(page, bundle)).band[0]).toBe("Pay, until 11:00 UTC today")
    expect((await greenElements(page)).length).toBeGreaterThan(0)
    expect(await page.evaluate("document.getElementById('result-band').firstElementChild.className")).toBe("band pay")
    const forged = new TextEncoder().encode(new TextDecoder().decode(bundle).replace("12500.00", "99999.00"))
    expect(forged).not.toEqual(bundle)
    for (const [document, issuer, band] of [
      [forged, JWKS, ["Do not rely on it", "Not genuine"]],
      [bundle, '{"keys":[]}', ["Do not rely on it yet", "Not checked"]],
    ] as const) {
      expect((await verifyIn(page, document, issuer)).band).toEqual(band)
      expect(await greenElements(page)).toEqual([])
      expect(await page.evaluate("document.getElementById('result-case').childNodes.length")).toBe(0)
    }
  })
})
