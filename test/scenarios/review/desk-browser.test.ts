/**
 * The afternoon of `docs/review.md`, typed and clicked word for word by keyboard alone: the compiled file, a real browser, passkeys. Two persons enrol,
 * one proposes, the other approves, and the next purchase passes. Every page fits three widths and both themes.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import type { Browser } from "playwright-core"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { usBody } from "../../fixtures/answers.ts"
import type { Running } from "../../fixtures/binary.ts"
import {
  accessibilityFaults,
  brokenWords,
  CASE_VIEWS,
  openChromium,
  overflowing,
  VIEWS,
} from "../../fixtures/chromium.ts"
import { type BrowserReviewer, openReviewer, press, tabTo } from "../../fixtures/desk-browser.ts"
import { sourceText } from "../../fixtures/imports.ts"
import { openProductOperator, paymentAt, presentTo, SERVICE_FLAGS } from "../../fixtures/product-operator.ts"
import { purchaseOf } from "../../fixtures/products.ts"
import { programOnPath } from "../../fixtures/program-on-path.ts"
import type { TestOperator } from "../../fixtures/test-operator.ts"
import { shellBlocks, typeLine } from "../../fixtures/typed-lines.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(120_000)

const DESKTOP = VIEWS[2] ?? expect.unreachable()

let operator: TestOperator
let environment: Readonly<Record<string, string>>
let server: Running
let browser: Browser
let desk = ""
let [ann, ben]: BrowserReviewer[] = []

beforeAll(async () => {
  operator = await openProductOperator()
  server = await operator.serve([...SERVICE_FLAGS, "--desk-listen", "127.0.0.1:0"])
  desk = /"desk":"(http:[^"]+)"/.exec(server.err())?.[1] ?? ""
  environment = programOnPath(operator.folder)
  browser = await openChromium()
  ann = await openReviewer(browser, DESKTOP)
  ben = await openReviewer(browser, DESKTOP)
})
afterAll(async () => {
  await browser?.close()
  await operator[Symbol.asyncDispose]()
})

const of = (one: BrowserReviewer | undefined) => one ?? expect.unreachable()

async function check(): Promise<{ readonly decision: string; readonly execution_id: string }> {
  const company = { legal_name: "Vostok Meridian LLC", identifiers: { uei: "SUPPLYER0001" } }
  const purchase = purchaseOf(companyCheckRules, usBody({ company }))
  return JSON.parse(await presentTo(server.origin, purchase, await paymentAt(server.origin, purchase)))
}

/** A section of the afternoon in `docs/review.md`: commands that the operator types, or steps of one person at the pages. */
interface Section {
  readonly title: string
  readonly lines: readonly string[]
  readonly steps: readonly string[]
}

const page = sourceText("docs/review.md")
const sections: readonly Section[] = page
  .slice(page.indexOf("## An afternoon"), page.indexOf("## What a reviewer may do"))
  .split(/^### /m)
  .slice(1)
  .map((text) => ({
    title: text.slice(0, text.indexOf("\n")),
    lines: shellBlocks(text).flat(),
    steps: [...text.matchAll(/^\d+\. (.*)$/gm)].map(([, step = ""]) => step),
  }))

/** The newest link that `review open` printed. */
let link = ""

async function type(line: string): Promise<void> {
  const { exit, shown } = await typeLine(line, { folder: operator.folder, environment }, { prompt: /\0/, reply: "" })
  expect([line, exit, shown]).toEqual([line, 0, expect.any(String)])
  link = /^http\S+/m.exec(shown)?.[0] ?? link
}

/** Does one step of the page by keyboard alone. */
async function perform({ page }: BrowserReviewer, step: string): Promise<void> {
  const [, verb, name = "", text = ""] =
    /^(Open the link|Press|Choose|Write in)(?: \*\*(.*)\*\*)?(?:: `(.*)`)?\.?$/.exec(step) ?? []
  switch (verb) {
    case "Open the link":
      await page.goto(link)
      return
    case "Press":
      return press(page, name)
    case "Choose":
      await tabTo(page, name)
      return page.keyboard.press("Space")
    case "Write in":
      await tabTo(page, name)
      await page.keyboard.press("Control+A")
      return page.keyboard.type(text)
    default:
      throw new Error(`the page has a step that no test does: ${step}`)
  }
}

async function follow({ title, lines, steps }: Section): Promise<void> {
  for (const line of lines.filter((one) => !one.includes("review open") || steps.length === 0)) await type(line)
  const person = title.startsWith("Ann ") ? of(ann) : title.startsWith("Ben ") ? of(ben) : null
  if (person !== null) for (const step of steps) await perform(person, step)
  for (const line of lines.filter((one) => one.includes("review open") && steps.length > 0)) await type(line)
}

test("the page tells seven parts of an afternoon", () => {
  expect(sections.map(({ title }) => title.split(" ")[0])).toEqual(["The", "Ann", "Ben", "Ann", "Ann", "Ben", "The"])
})

test("the operator enters two persons, who enrol their passkeys and ask for four eyes", async () => {
  expect((await check()).decision).toBe("REVIEW")
  for (const section of sections.slice(0, 4)) await follow(section)
  expect(await of(ann).page.textContent("main")).toContain(
    "Each judgement needs 2 persons, and at least 2 must be able to judge.",
  )
})

test("with scripts off every step works up to the passkey", async () => {
  const cookies = await of(ann).context.cookies()
  const context = await browser.newContext({ javaScriptEnabled: false })
  await context.addCookies(cookies)
  const page = await context.newPage()
  await until("the case is open", async () => {
    await page.goto(desk)
    return (await page.getByRole("link", { name: "1", exact: true }).count()) === 1
  })
  await page.getByRole("link", { name: "1", exact: true }).click()
  await page.getByLabel("I cannot tell").check()
  await page.getByLabel("How you know").fill("No extract yet.")
  await page.getByRole("form", { name: "Judge entry 1" }).getByRole("button").click()
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("This is what you sign")
  expect(await page.getByText("This step needs a script.").isVisible()).toBe(true)
  await context.close()
})

test("one proposes, another approves, and the next purchase passes", async () => {
  const [judging, approving] = sections.slice(4)
  await of(ann).page.goto(desk)
  await follow(judging ?? expect.unreachable())
  expect((await check()).decision).toBe("REVIEW")
  await of(ben).page.goto(desk)
  await follow(approving ?? expect.unreachable())
  await until("the service counts the judgement", async () => (await check()).decision !== "REVIEW")
})

test("the operator exports the records, and they verify", async () => {
  await follow(sections.at(-1) ?? expect.unreachable())
})

test("every page fits each width and theme, has no broken name, and loads nothing from elsewhere", async () => {
  const { page, complaints, requested } = of(ann)
  const paths = ["/", "/?state=DECIDED", "/cases/1", "/records/1", "/records/4", "/reviewers", "/enrol", "/nowhere"]
  const faults: string[] = []
  for (const { name, width, height, scheme } of CASE_VIEWS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: scheme })
    for (const path of paths) {
      await page.goto(desk + path)
      const found = [await accessibilityFaults(page), await overflowing(page), await brokenWords(page)].flat()
      faults.push(...found.map((fault) => `${path}, ${name}: ${fault}`))
    }
  }
  expect(faults).toEqual([])
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([])
  expect([...new Set(requested.map((url) => new URL(url).origin))]).toEqual([desk])
})

test("the public listener has no page of the desk, and the desk none of the public ones", async () => {
  for (const path of ["/enrol", "/cases/1", "/reviewers", "/records/1", "/sign/x"])
    expect([path, (await fetch(server.origin + path)).status]).toEqual([path, 404])
  const { page } = of(ann)
  for (const path of ["/jwks.json", "/livez", "/openapi.json", "/metrics", "/verify"]) {
    const answer = await page.goto(desk + path)
    expect([path, answer?.status()]).toEqual([path, 404])
  }
})

test("no log line has an execution id, a name or a text of the desk", async () => {
  const lines = server.err()
  expect(lines).toContain('"event":"review_recorded"')
  expect(lines).not.toMatch(/exe_|Ann Reviewer|another owner|Nobody releases|Vostok/i)
})
