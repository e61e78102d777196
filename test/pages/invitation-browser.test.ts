import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { issueInvitation } from "../../src/store/identity/invitations.ts"
import { browserPath, openBrowser, type View } from "../fixtures/browser.ts"
import { type ServedService, servedService } from "../fixtures/served.ts"

const REFERENCE = "aB3_-xY9".repeat(4)
/** Longer than a phone is wide, without a break, and with markup. */
const ISSUER = `<img src=x onerror=1>${"Donaudampfschifffahrtsgesellschaft".repeat(3)}`
const START_MS = 20_000

if (browserPath === null) console.info("skipped: no chromium on PATH, so the invitation is not opened in a browser")

const views: readonly (readonly [name: string, view: View])[] = [
  ["a phone, by day", { width: 390, height: 844, mobile: true, scheme: "light" }],
  ["a phone, by night", { width: 390, height: 844, mobile: true, scheme: "dark" }],
  ["a desktop, by day", { width: 1280, height: 900, mobile: false, scheme: "light" }],
  ["a desktop, by night", { width: 1280, height: 900, mobile: false, scheme: "dark" }],
  ["the narrowest phone", { width: 320, height: 568, mobile: true, scheme: "light" }],
]

describe.skipIf(browserPath === null)("the invitation in a real browser", () => {
  let served: ServedService
  let browser: Awaited<ReturnType<typeof openBrowser>>
  beforeAll(async () => {
    served = await servedService({ issuer_name: ISSUER })
    const createdAt = "2026-01-01T00:00:00.000Z"
    await served.service.store.run(() => issueInvitation({ reference: REFERENCE, createdAt }))
    browser = await openBrowser()
  }, START_MS)
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await served[Symbol.asyncDispose]()
  })

  test.each(views)(
    "on %s fits, gives no browser warning, loads only its own image, and is readable and usable by touch",
    async (_name, view) => {
      const page = await browser.open(`${served.origin}/v1/agent-id/invitations/${REFERENCE}`, view)
      expect(page.complaints).toEqual([])
      expect(page.requested.filter((url) => !url.startsWith(`${served.origin}/v1/agent-id/`))).toEqual([])
      expect(await page.evaluate("document.querySelector('header img').naturalWidth > 0")).toBe(true)
      expect(await page.evaluate<number>("innerWidth")).toBe(view.width)
      expect(await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")).toBe(
        true,
      )
      expect(
        await page.evaluate<string[]>(`[...document.body.querySelectorAll("*")]
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5 || element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
        .map((element) => element.outerHTML.slice(0, 80))`),
      ).toEqual([])
      const heights = await page.evaluate<number[]>(
        `[...document.querySelectorAll("a")].map((link) => link.getBoundingClientRect().height)`,
      )
      expect(heights.length).toBe(3)
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(44)
      for (const [text, contrast] of await page.evaluate<[string, number][]>(CONTRASTS)) {
        expect([text, contrast >= 4.5]).toEqual([text, true])
      }
      expect(await page.evaluate<number>("document.querySelectorAll('img').length")).toBe(1)
    },
    START_MS,
  )

  test("a page that violates its policy gives a browser warning (test of the test above)", async () => {
    const policy = { "content-type": "text/html", "content-security-policy": "default-src 'none'" }
    const body = '<!doctype html><p style="color: red">x<script>1</script><div style="width: 2000px">'
    const broken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(body, { headers: policy }) })
    const page = await browser.open(`http://127.0.0.1:${broken.port}/`, views[0]![1])
    await broken.stop(true)
    expect(page.complaints.join("\n")).toMatch(/inline style violates[\s\S]*inline script violates/)
  })

  test("a link focused by keyboard has an outline", async () => {
    const page = await browser.open(`${served.origin}/v1/agent-id/invitations/${REFERENCE}`, views[2]![1])
    const outline = await page.evaluate<string>(
      `(() => { const link = document.querySelector("a"); link.focus({ focusVisible: true }); return getComputedStyle(link).outlineStyle })()`,
    )
    expect(outline).toBe("solid")
  })
})

/** [text, contrast of its colour with the nearest painted background], for every element with text of its own (WCAG 2.2, 1.4.3). */
const CONTRASTS = `(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const luminance = (colour) => {
    const [r, g, b] = numbers(colour).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor
      if (numbers(colour)[3] !== 0) return colour
    }
    return "rgb(255, 255, 255)"
  }
  return [...document.body.querySelectorAll("*")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""))
    .map((element) => {
      const [light, dark] = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((a, b) => b - a)
      return [element.textContent.slice(0, 40), (light + 0.05) / (dark + 0.05)]
    })
})()`
