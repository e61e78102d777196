/**
 * The review desk of the compiled file in a real browser with passkeys: two persons enrol, one proposes by keyboard alone, the other approves, and
 * the next purchase passes. Every page fits three widths and both themes.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import type { Browser } from "playwright-core"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { usBody } from "../../fixtures/answers.ts"
import { type Running, run } from "../../fixtures/binary.ts"
import {
  accessibilityFaults,
  brokenWords,
  CASE_VIEWS,
  openChromium,
  overflowing,
  VIEWS,
} from "../../fixtures/chromium.ts"
import { type BrowserReviewer, openReviewer, press, tabTo } from "../../fixtures/desk-browser.ts"
import { openProductOperator, paymentAt, presentTo, SERVICE_FLAGS } from "../../fixtures/product-operator.ts"
import { purchaseOf } from "../../fixtures/products.ts"
import type { TestOperator } from "../../fixtures/test-operator.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(120_000)

const DESKTOP = VIEWS[2] ?? expect.unreachable()

let operator: TestOperator
let server: Running
let browser: Browser
let desk = ""
let [ann, ben]: BrowserReviewer[] = []

beforeAll(async () => {
  operator = await openProductOperator()
  server = await operator.serve([...SERVICE_FLAGS, "--desk-listen", "127.0.0.1:0"])
  desk = /"desk":"(http:[^"]+)"/.exec(server.err())?.[1] ?? ""
  browser = await openChromium()
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

async function linkOf(name: string): Promise<string> {
  const made = await run(["review", "open", name, "--json", "--data", operator.data])
  expect([made.err, made.exit]).toEqual(["", 0])
  return JSON.parse(made.out).link
}

async function enrolled(name: string): Promise<BrowserReviewer> {
  expect((await run(["review", "add", name, "--data", operator.data])).exit).toBe(0)
  const one = await openReviewer(browser, DESKTOP)
  await one.page.goto(await linkOf(name))
  await press(one.page, "Enter")
  expect(await one.page.title()).toStartWith("Enrol a passkey")
  await tabTo(one.page, "Make a passkey")
  await Promise.all([one.page.waitForURL(/\/sign\//), one.page.keyboard.press("Enter")])
  await tabTo(one.page, "Sign with your passkey")
  await Promise.all([one.page.waitForURL(/\/records\/\d+$/), one.page.keyboard.press("Enter")])
  return one
}

/** Signs what the page shows. Returns the path of the record. */
async function signed({ page }: BrowserReviewer): Promise<string> {
  await page.waitForURL(/\/sign\//)
  await tabTo(page, "Sign with your passkey")
  await Promise.all([page.waitForURL(/\/records\/\d+$/), page.keyboard.press("Enter")])
  return new URL(page.url()).pathname
}

test("two persons enrol their passkeys by keyboard alone", async () => {
  const held = await check()
  expect(held.decision).toBe("REVIEW")
  ann = await enrolled("Ann Reviewer")
  ben = await enrolled("Ben Second")
  const { page } = of(ann)
  await page.goto(`${desk}/reviewers`)
  for (const field of ["Persons who must judge", "Persons who must be able to judge"]) {
    await tabTo(page, field)
    await page.keyboard.press("Control+A")
    await page.keyboard.type("2")
  }
  await tabTo(page, "Why")
  await page.keyboard.type("Four eyes.")
  await press(page, "Read what you sign")
  await signed(of(ann))
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

test("one proposes by keyboard alone, another approves, and the next purchase passes", async () => {
  const { page } = of(ann)
  await page.goto(`${desk}/`)
  await press(page, "1")
  await tabTo(page, "It is another party")
  await page.keyboard.press("Space")
  await tabTo(page, "How you know")
  await page.keyboard.type("Another owner, by the register extract.")
  await press(page, "Read what you sign")
  const shown = (await page.locator("main code").first().textContent()) ?? ""
  const record = await signed(of(ann))
  expect(await page.locator("main").textContent()).toContain(shown)
  expect((await check()).decision).toBe("REVIEW")

  const other = of(ben).page
  await other.goto(desk + record)
  await press(other, "Read what you sign")
  await signed(of(ben))
  await until("the service counts the judgement", async () => (await check()).decision !== "REVIEW")
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
  expect(lines).not.toMatch(/exe_|Ann Reviewer|another owner|Four eyes|Vostok/i)
})
