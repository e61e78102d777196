/** The page of a case in a real browser, with hostile, Arabic and long names: three widths, both themes. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { command } from "../../src/cli/documents/show.ts"
import {
  accessibilityFaults,
  brokenWords,
  CASE_VIEWS,
  greenElements,
  type OpenedPage,
  openChromium,
  openPage,
  overflowing,
} from "../fixtures/chromium.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { PAGE_NAMES } from "../fixtures/hostile-names.ts"
import { ROOT } from "../fixtures/imports.ts"
import { LONG } from "../fixtures/long.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"

const test = slowTests(import.meta.path)
const START_MS = 120_000

const BUNDLE = "test/corpus/second-build/decision-gate.release-payment-to-supplier.v1/hold-name-hit.bundle.json"
const pages = new Map<string, string>()
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => new Response(pages.get(new URL(url).pathname), { headers: { "content-type": "text/html" } }),
})
let browser: Browser
beforeAll(async () => {
  using directory = freshDirectory()
  for (const [name, text] of Object.entries(PAGE_NAMES)) {
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

describe.each(CASE_VIEWS)("at $name", (view) => {
  let opened: OpenedPage
  beforeAll(async () => {
    opened = await openPage(browser, "about:blank", view)
  })
  afterAll(() => opened?.[Symbol.asyncDispose]())

  // Each view has a name of its own, and each name two views: axe reads a page for seconds.
  const names = Object.keys(PAGE_NAMES)
  const own = names.filter((_, at) => LONG || at === CASE_VIEWS.indexOf(view) % names.length)
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
      expect(await brokenWords(page)).toEqual([])
      expect(await greenElements(page)).toEqual([])
    },
    START_MS,
  )
})
