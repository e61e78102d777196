/**
 * Makes the screenshots of docs/screenshots/ with the Chromium of the tests, over a server with synthetic data:
 *
 *   bun scripts/screenshots.ts
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { openChromium, openPage, VIEWS } from "../test/fixtures/chromium.ts"
import { servedService } from "../test/fixtures/served.ts"

const FOLDER = join(import.meta.dir, "..", "docs", "screenshots")

/** Name of the file, path of the page, and index of its view. */
const SHOTS: readonly (readonly [name: string, path: string, view: number])[] = [
  ["first-page", "/", 2],
  ["status", "/status", 3],
  ["verify", "/verify", 2],
  ["documentation", "/docs", 1],
  ["api-reference", "/docs/api/us_company_check", 2],
  ["reason", "/docs/reasons/RESTRICTED_PARTY_POSSIBLE_MATCH", 0],
]

mkdirSync(FOLDER, { recursive: true })
const served = await servedService({ issuer_name: "Example Decisions" })
const browser = await openChromium()
try {
  for (const [name, path, at] of SHOTS) {
    const view = VIEWS[at]
    if (!view) throw new RangeError(`there is no view ${at}`)
    await using opened = await openPage(browser, served.origin + path, view)
    const file = join(FOLDER, `${name}.png`)
    await opened.page.screenshot({ path: file })
    console.log(`docs/screenshots/${name}.png`)
  }
} finally {
  await browser.close()
  await served[Symbol.asyncDispose]()
}
// Elysia leaves a timer behind.
process.exit(0)
