/** The page of a case in a real browser, with hostile, Arabic and long names: three widths, both themes. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { command } from "../../src/cli/documents/show.ts"
import { accessibilityFaults, type OpenedPage, openChromium, openPage, overflowing } from "../fixtures/chromium.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { ROOT } from "../fixtures/imports.ts"
import { LONG } from "../fixtures/long.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"

const test = slowTests(import.meta.path)
const START_MS = 120_000

const NAMES = {
  markup: `<img src=x onerror=1></script>\u202e=cmd()\u0000${"a".repeat(300)}`,
  arabic: "شركة الميناء للتجارة الدولية والاستيراد والتصدير المحدودة",
  long: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft GmbH",
}
const BUNDLE = "test/corpus/second-build/decision-gate.release-payment-to-supplier.v1/hold-name-hit.bundle.json"
const VIEWS = [360, 768, 1280].flatMap((width) =>
  (["light", "dark"] as const).map((scheme) => ({ name: `${width} px, ${scheme}`, width, height: 800, scheme })),
)

/** Words of at most 26 letters that take two lines. */
const BROKEN_WORDS = `[...document.querySelectorAll("main :is(td, th, p, dd, h1, h2)")].flatMap((element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const broken = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest("code, .long")) continue
    for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}]{2,26}/gu)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word)
    }
  }
  return broken
})`

const pages = new Map<string, string>()
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => new Response(pages.get(new URL(url).pathname), { headers: { "content-type": "text/html" } }),
})
let browser: Browser
beforeAll(async () => {
  using directory = freshDirectory()
  for (const [name, text] of Object.entries(NAMES)) {
    const bundle = JSON.parse(readFileSync(join(ROOT, BUNDLE), "utf8"))
    bundle.request.supplier.legal_name = text
    bundle.facts.screening.hits[0].matched_name = text
    const path = join(directory.path, "bundle.json")
    writeFileSync(path, JSON.stringify(bundle))
    const { out } = await runCommand(command, [path, "--html"])
    pages.set(`/${name}`, out)
  }
  browser = await openChromium()
}, START_MS)
afterAll(async () => {
  await browser?.close()
  await server.stop(true)
})

describe.each(VIEWS)("at $name", (view) => {
  let opened: OpenedPage
  beforeAll(async () => {
    opened = await openPage(browser, "about:blank", view)
  })
  afterAll(() => opened?.[Symbol.asyncDispose]())

  // Each view has a name of its own, and each name two views: axe reads a page for seconds.
  const names = Object.keys(NAMES)
  const own = names.filter((_, at) => LONG || at === VIEWS.indexOf(view) % names.length)
  test.each(own)(
    "a case with a name of kind %s fits, loads nothing, and has no accessibility fault",
    async (name) => {
      const { page, requested, complaints } = opened
      await opened.visit(`http://127.0.0.1:${server.port}/${name}`)
      expect(await overflowing(page)).toEqual([])
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      expect(await accessibilityFaults(page)).toEqual([])
      expect(complaints).toEqual([])
      expect(requested.length).toBe(1)
      expect(await page.evaluate("document.querySelectorAll('img, script').length")).toBe(0)
      expect(await page.textContent("h1")).toBe("Do not pay: hold")
      expect(await page.evaluate(BROKEN_WORDS)).toEqual([])
    },
    START_MS,
  )
})
