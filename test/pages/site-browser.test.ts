/** Every page in a real browser: both themes, two widths, no complaint, nothing from elsewhere, usable by everybody. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import type { Browser } from "playwright-core"
import { issueInvitation } from "../../src/store/identity/invitations.ts"
import {
  accessibilityFaults,
  type OpenedPage,
  openChromium,
  openPage,
  overflowing,
  VIEWS,
} from "../fixtures/chromium.ts"
import { type ServedService, servedService } from "../fixtures/served.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const REFERENCE = "aB3_-xY9".repeat(4)
const RIGHT_TO_LEFT = "\u202e"
/** Markup, a mark that turns the writing direction, and 350 characters without a break. */
const ISSUER = `<img src=x onerror=1>${RIGHT_TO_LEFT}${"Donaudampf".repeat(33)}`.slice(0, 350)
const START_MS = 120_000

const PAGES = [
  "/",
  "/status",
  "/verify",
  "/docs",
  "/docs/operate",
  "/docs/reference/errors",
  "/docs/reasons",
  "/docs/reasons/RESTRICTED_PARTY_MATCH",
  "/docs/api",
  "/docs/api/us_company_check",
  "/problems/NOT_FOUND",
  `/v1/agent-id/invitations/${REFERENCE}`,
]
/** Status 404 of a page is a complaint of the console, and the only one. */
const MISSING = "/no/such/page"

let served: ServedService
let browser: Browser
beforeAll(async () => {
  served = await servedService({ issuer_name: ISSUER })
  const createdAt = "2026-01-01T00:00:00.000Z"
  await served.service.store.run(() => issueInvitation({ reference: REFERENCE, createdAt }))
  browser = await openChromium()
}, START_MS)
afterAll(async () => {
  await browser?.close()
  await served[Symbol.asyncDispose]()
})

/** Each theme and each width once: a browser is slow beside other tests. */
const views = VIEWS.filter((_, at) => at === 0 || at === 3)

describe.each(views)("on $name", (view) => {
  let opened: OpenedPage
  beforeAll(async () => {
    opened = await openPage(browser, "about:blank", view)
  })
  afterAll(() => opened?.[Symbol.asyncDispose]())

  test.each(PAGES)(
    "%s gives no complaint, loads only from its server, fits, keeps a hostile name as text, and has no accessibility fault",
    async (path) => {
      const { page, requested, complaints } = opened
      await opened.visit(served.origin + path)
      expect(requested).toContain(served.origin + path)
      expect(requested.filter((url) => !url.startsWith(`${served.origin}/`))).toEqual([])
      expect(requested.length).toBeLessThanOrEqual(3)
      expect(await overflowing(page)).toEqual([])
      expect(await accessibilityFaults(page)).toEqual([])
      expect(complaints).toEqual([])
      expect(await page.evaluate("document.querySelectorAll('main h1').length")).toBe(1)
      expect(await page.textContent(".home span")).toBe(ISSUER)
      expect(await page.evaluate("document.querySelectorAll('img[src=x]').length")).toBe(0)
    },
    START_MS,
  )
})

test("an address without a page leads on", async () => {
  await using opened = await openPage(browser, served.origin + MISSING, VIEWS[0]!)
  expect(await accessibilityFaults(opened.page)).toEqual([])
  expect(opened.complaints.filter((text) => !text.includes("404"))).toEqual([])
  await opened.page.click("main a[href='/docs']")
  expect(await opened.page.textContent("h1")).toBe("Documentation")
})

test("a reader reaches the navigation by keyboard, and sees where the focus is", async () => {
  await using opened = await openPage(browser, `${served.origin}/`, VIEWS[0]!)
  const focused: string[] = []
  for (let presses = 0; presses < 5; presses++) {
    await opened.page.keyboard.press("Tab")
    focused.push(await opened.page.evaluate<string>("document.activeElement.textContent"))
    expect(await opened.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid")
  }
  expect(focused).toEqual(["Skip to the content", ISSUER, "Status", "Verify", "Docs"])
})

test("a page that violates its policy gives a complaint (test of the tests above)", async () => {
  const fields = { "content-type": "text/html", "content-security-policy": "default-src 'none'" }
  const body =
    '<!doctype html><p style="color: red">x<script>1</script><div style="width: 2000px">wide</div><img src="/x">'
  const broken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(body, { headers: fields }) })
  await using opened = await openPage(browser, `http://127.0.0.1:${broken.port}/`, VIEWS[0]!)
  expect(opened.complaints.join("\n")).toMatch(/inline style[\s\S]*inline script/)
  expect(await accessibilityFaults(opened.page)).not.toEqual([])
  await broken.stop(true)
})
