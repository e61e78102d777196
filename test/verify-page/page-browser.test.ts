/** The page in a real Chromium, opened by its file: address and over HTTP: the words of the command, and nothing leaves the browser. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { judge } from "../../src/verify-page/judge.ts"
import { accessibilityFaults, openChromium, openPage, overflowing, VIEWS, type View } from "../fixtures/chromium.ts"
import { type ServedService, servedService } from "../fixtures/served.ts"
import { type VerifyFolder, verifyFolder } from "../fixtures/verify-folder.ts"
import { givenByLine, inputsOfLine, type RanLine, runLine } from "./command-line.ts"
import { type Corpus, corpus, withoutNow } from "./corpus.ts"
import { checkInPage } from "./drive-page.ts"

setDefaultTimeout(60_000)

interface Said extends RanLine {
  readonly line: string
}

/** Markup, a mark that turns the writing direction, and 350 characters without a break. */
const HOSTILE = `<img src=x onerror=1>\u202e${"Donaudampf".repeat(33)}`.slice(0, 350)
const PHONE_DARK = VIEWS[1] as View
const DESKTOP_LIGHT = VIEWS[2] as View

let given: Corpus
/** What the command says to each line. */
let said: readonly Said[]
let folder: VerifyFolder
let served: ServedService
let browser: Browser
/** Address of the saved page. */
let saved: string
beforeAll(async () => {
  given = await corpus()
  folder = await verifyFolder(given.files)
  const all: Said[] = []
  for (const line of given.lines) all.push({ line, ...(await runLine(line, folder.path)) })
  said = all
  served = await servedService({ issuer_name: "Example <Decisions>" })
  const path = join(folder.path, "saved page.html")
  await Bun.write(path, await (await fetch(`${served.origin}/verify`)).text())
  saved = pathToFileURL(path).href
  browser = await openChromium()
})
afterAll(async () => {
  await browser?.close()
  await served?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
})

const open = (url = saved, view = DESKTOP_LIGHT) => openPage(browser, url, view)
const oneOf = (line: string, files = given.files) => {
  const inputs = inputsOfLine(line)
  return {
    files: Object.fromEntries(
      Object.values(inputs.files)
        .flat()
        .map((name) => [name, files[name] ?? ""]),
    ),
    inputs,
  }
}

describe("every line of the corpus", () => {
  const inWords = ({ line, exit, text }: Pick<Said, "line" | "exit" | "text">) => {
    return { line, exit: Number(exit), text: withoutNow(line, text) }
  }

  test("gets the words and the exit code of the command from the code of the page", async () => {
    for (const ran of said) {
      const { line } = ran
      const { exit, text, lines, checks } = await judge(givenByLine(line, given.files), Date.now())
      expect(inWords({ line, exit, text })).toEqual(inWords(ran))
      const parts = [...checks.flatMap(({ check, detail }) => [check, detail]), ...lines.flatMap(({ texts }) => texts)]
      expect(parts.filter((part) => !text.includes(part))).toEqual([])
    }
  })

  test("and from the saved page in the browser, which requests nothing", async () => {
    await using opened = await open()
    // Any use of WebCrypto would throw: a page on a plain-HTTP network has none.
    const poisoned = `void Object.defineProperty(Crypto.prototype, "subtle", { get() { throw new Error("used") } })`
    await opened.page.evaluate(poisoned)
    // The page offers only the actions that exist.
    const possible = said.filter(({ line }) => !line.includes("--require PAY"))
    const inputs = possible.map(({ line }) => inputsOfLine(line))
    const shown = await checkInPage(opened.page, given.files, inputs)
    expect(shown.length).toBe(possible.length)
    for (const [at, ran] of possible.entries()) {
      const { line } = ran
      const { text, exit, title, state, rows } = shown[at]!
      expect(inWords({ line, exit, text })).toEqual(inWords(ran))
      expect([line, state, rows > 0]).toEqual([line, `Result: ${title}`, ran.isReport])
    }
    expect(opened.requested).toEqual([saved])
    expect(opened.complaints).toEqual([])
  })

  test("is one of many: each exit code several times, of more than a hundred files", () => {
    const counts = Map.groupBy(said, ({ exit }) => exit)
    expect([...counts.keys()].toSorted()).toEqual([0, 2, 3, 4, 9])
    expect(Math.min(...[...counts.values()].map(({ length }) => length))).toBeGreaterThan(5)
    expect(Object.keys(given.files).length).toBeGreaterThan(100)
    expect(said.length).toBeGreaterThan(200)
  })
})

describe.each([PHONE_DARK, DESKTOP_LIGHT])("on $name", (view) => {
  test("a verdict fits, has no accessibility fault and hostile names stay text", async () => {
    await using opened = await open(`${served.origin}/verify`, view)
    const line = "delivery.json --issuer jwks.json --at 2026-11-20T10:00:01Z"
    const { files, inputs } = oneOf(line)
    await opened.page.click("#more summary")
    await checkInPage(opened.page, files, [inputs])
    expect(await opened.page.evaluate("document.activeElement.id")).toBe("result-title")
    expect(await overflowing(opened.page)).toEqual([])
    expect(await accessibilityFaults(opened.page)).toEqual([])
    const hostile = { [HOSTILE]: given.files["broken.json"] ?? "", "jwks.json": given.files["jwks.json"] ?? "" }
    for (const names of [
      { document: [HOSTILE], issuer: ["jwks.json"] },
      { document: ["jwks.json"], issuer: [HOSTILE] },
    ]) {
      const [shown] = await checkInPage(opened.page, hostile, [{ files: names, texts: {}, isSandbox: false }])
      expect(shown?.exit).toBe(4)
    }
    expect(await opened.page.textContent("#result-text")).toContain(`${HOSTILE} is not strict JSON`)
    expect(await opened.page.evaluate("document.querySelectorAll('img[src=x]').length")).toBe(0)
    expect(await overflowing(opened.page)).toEqual([])
    expect(await accessibilityFaults(opened.page)).toEqual([])
    expect(opened.complaints).toEqual([])
    expect(opened.requested).toEqual([`${served.origin}/verify`])
  })
})

describe("the keys of the page", () => {
  test("give this server's word, and the verdict says so", async () => {
    await using opened = await open()
    const { page } = opened
    const manifest = await (await fetch(`${served.origin}/.well-known/svc-capabilities.json`)).text()
    await page.fill("#paste-document", manifest)
    await page.check("#server-keys")
    await page.click("button[type=submit]")
    await page.waitForSelector("#result:not([hidden])")
    expect(await page.textContent("#result-title")).toBe("By this server's word: Genuine and current")
    expect(await page.isVisible("#result-servers-word")).toBe(true)
    await page.fill("#paste-issuer", await (await fetch(`${served.origin}/.well-known/jwks.json`)).text())
    expect(await page.isChecked("#own-keys")).toBe(true)
    await page.click("button[type=submit]")
    await page.waitForSelector("#result:not([hidden])")
    expect(await page.textContent("#result-title")).toBe("Genuine and current")
    expect(await page.isVisible("#result-servers-word")).toBe(false)
    expect(opened.requested).toEqual([saved])
  })
})

test("dropped files go to their fields, the page says where, and a file replaces a pasted text", async () => {
  await using opened = await open()
  const { page } = opened
  const dropped = Object.fromEntries(
    ["request.json", "jwks.json", "delivery.json", "broken.json"].map((name) => [
      name,
      String(Buffer.from(given.files[name] ?? "")),
    ]),
  )
  await page.fill("#paste-document", "pasted")
  await page.evaluate((files) => {
    const dataTransfer = new DataTransfer()
    for (const [name, text] of Object.entries(files)) dataTransfer.items.add(new File([text], name))
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
  }, dropped)
  await page.waitForSelector("form[aria-busy=false]")
  expect(await page.textContent("#state")).toBe(
    "Document: delivery.json. Keys of the issuer: jwks.json. Request: request.json. Not used: broken.json.",
  )
  expect(await page.inputValue("#paste-document")).toBe("")
  expect(await page.evaluate("document.getElementById('file-request').files[0].name")).toBe("request.json")
  await page.fill("#text-at", "2026-11-20T10:00:01Z")
  await page.press("#text-at", "Enter")
  await page.waitForSelector("#result:not([hidden])")
  const ran = await runLine(
    "delivery.json --issuer jwks.json --request request.json --at 2026-11-20T10:00:01Z",
    folder.path,
  )
  expect(await page.textContent("#result-text")).toBe(ran.text)
  await page.fill("#paste-document", "pasted")
  expect(await page.evaluate("document.getElementById('file-document').files.length")).toBe(0)
  await page.click("button[type=reset]")
  expect(await page.isHidden("#result")).toBe(true)
})

test("too many files are refused with the limit", async () => {
  await using opened = await open()
  const names = Array.from({ length: 65 }, (_, at) => `${at}.json`)
  const files = {
    ...Object.fromEntries(names.map((name) => [name, "{}"])),
    "manifest.json": given.files["manifest.json"] ?? "",
  }
  const inputs = { files: { document: ["manifest.json"], listed: names }, texts: {}, isSandbox: false }
  const [shown] = await checkInPage(opened.page, files, [inputs])
  expect(shown?.state).toBe("66 files were given, and this page takes at most 64. Choose fewer.")
  expect(await opened.page.isHidden("#result")).toBe(true)
})

test("without JavaScript the page shows the command and no form", async () => {
  await using opened = await openPage(browser, `${served.origin}/verify`, DESKTOP_LIGHT, { javaScriptEnabled: false })
  expect(await opened.page.innerText("main")).toContain("bizauth verify ./document.json --issuer ./issuer.jwks.json")
  expect(await opened.page.isHidden("form")).toBe(true)
})
