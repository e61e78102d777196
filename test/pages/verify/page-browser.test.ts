/** The page in a real Chromium, opened by its file: address and over HTTP: the words of the command, and nothing leaves the browser. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { judge } from "../../../src/pages/verify/judge.ts"
import { verifyRoute } from "../../../src/pages/verify-route.ts"
import { MARK_SVG } from "../../../src/products/agent-id/mark.ts"
import { accessibilityFaults, openChromium, openPage, overflowing, VIEWS, type View } from "../../fixtures/chromium.ts"
import { listening, testShell } from "../../fixtures/shell.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { type VerifyFolder, verifyFolder } from "../../fixtures/verify-folder.ts"
import {
  filesOfInputs,
  givenByLine,
  inputsOfLine,
  kindOfLine,
  type NamedInputs,
  type RanLine,
  runLine,
} from "./command-line.ts"
import { type Corpus, corpus, withoutNow } from "./corpus.ts"
import { checkInPage, give, verdictOf } from "./drive-page.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

interface Said extends RanLine {
  readonly line: string
}

/** Markup, a mark that turns the writing direction, and 350 characters without a break. */
const HOSTILE = `<img src=x onerror=1>\u202e${"Donaudampf".repeat(33)}`.slice(0, 350)
/** Of the decision that the files have. */
const EXPIRED = "Do not pay: the answer expired at 11:00 UTC on 20 November 2026"
const PHONE_DARK = VIEWS[1] as View
const DESKTOP_LIGHT = VIEWS[2] as View

let given: Corpus
/** What the command says to each line. */
let said: readonly Said[]
let folder: VerifyFolder
let served: ReturnType<typeof listening>
let browser: Browser
/** Address of the saved page. */
let saved: string
/** The saved page, open. */
let opened: Awaited<ReturnType<typeof openPage>>
beforeAll(async () => {
  given = await corpus()
  folder = await verifyFolder(given.files)
  const all: Said[] = []
  for (const line of given.lines) all.push({ line, ...(await runLine(line, folder.path)) })
  said = all
  const { shell } = testShell()
  const site = { issuerName: "Example <Decisions>", baseUrl: "https://svc.example" }
  const keys = new Uint8Array(Buffer.from(given.files["jwks.json"] ?? ""))
  served = listening(shell, [verifyRoute({ shell, site, jwks: () => keys, markSvg: MARK_SVG })])
  const path = join(folder.path, "saved page.html")
  await Bun.write(path, await (await fetch(`${served.origin}/verify`)).text())
  saved = pathToFileURL(path).href
  browser = await openChromium()
  opened = await open(saved)
})
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]()
  await browser?.close()
  await served?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
})

const open = (url: string, view = DESKTOP_LIGHT) => openPage(browser, url, view)

/** The files that these inputs name. */
const filesOf = (inputs: readonly NamedInputs[]) => filesOfInputs(inputs, given.files)

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
    // Any use of WebCrypto would throw: a page on a plain-HTTP network has none.
    const poisoned = `void Object.defineProperty(Crypto.prototype, "subtle", { get() { throw new Error("used") } })`
    await opened.page.evaluate(poisoned)
    // The page offers only the actions that exist.
    const possible = said.filter(({ line }) => !line.includes("--require PAY"))
    const inputs = possible.map(({ line }) => inputsOfLine(line))
    const shown = await checkInPage(opened.page, filesOf(inputs), inputs)
    expect(shown.length).toBe(possible.length)
    for (const [at, ran] of possible.entries()) {
      const { line } = ran
      const { text, exit, band, state, rows } = shown[at]!
      expect(inWords({ line, exit, text })).toEqual(inWords(ran))
      const { headline, title, warnings } = await judge(givenByLine(line, given.files), Date.now())
      const first = headline === null ? [title] : [headline.words, title]
      expect([line, band]).toEqual([line, [...first, ...(headline?.more ?? []), ...warnings]])
      expect([line, state, rows > 0]).toEqual([line, `Result: ${first.join(". ")}`, ran.isReport])
    }
    expect(opened.requested).toEqual([saved])
    expect(opened.complaints).toEqual([])
  })

  test("is one of many: each kind of document is good once and bad once, with each exit code", () => {
    const kinds = Map.groupBy(said, ({ line }) => kindOfLine(line, given.files))
    expect([...kinds.keys()].toSorted().join(" ")).toBe(
      "AGENT ANSWER DECISION DELIVERABLE MANIFEST PASSPORT REVIEW SANDBOX SERVICE_PROOF",
    )
    for (const [kind, lines] of kinds) {
      const codes = new Set(lines.map(({ exit }) => exit))
      expect([kind, codes.has(0), codes.has(3)]).toEqual([kind, true, true])
    }
    expect([...new Set(said.map(({ exit }) => exit))].toSorted()).toEqual([0, 2, 3, 4, 9])
    expect(Object.keys(filesOf(said.map(({ line }) => inputsOfLine(line)))).length).toBeGreaterThanOrEqual(60)
  })
})

describe.each([PHONE_DARK, DESKTOP_LIGHT])("on $name", (view) => {
  test("a verdict fits on screen and paper, has no accessibility fault and hostile names stay text", async () => {
    await using opened = await open(`${served.origin}/verify`, view)
    const { page } = opened
    await page.click("#more summary")
    const inputs = inputsOfLine("delivery.json --issuer jwks.json --at 2026-11-20T10:00:01Z")
    await checkInPage(page, filesOf([inputs]), [inputs])
    expect(await page.evaluate("document.activeElement.id")).toBe("result-title")
    expect(await overflowing(page)).toEqual([])
    if (view === DESKTOP_LIGHT) expect(await accessibilityFaults(page)).toEqual([])
    await page.emulateMedia({ media: "print" })
    const cut = "[...document.querySelectorAll('pre, table')].filter((one) => one.scrollWidth > one.clientWidth).length"
    expect(await page.evaluate(cut)).toBe(0)
    await page.emulateMedia({ media: "screen" })
    const hostile = { [HOSTILE]: given.files["broken.json"] ?? "", "jwks.json": given.files["jwks.json"] ?? "" }
    for (const names of [
      { document: [HOSTILE], issuer: ["jwks.json"] },
      { document: ["jwks.json"], issuer: [HOSTILE] },
    ]) {
      const [shown] = await checkInPage(page, hostile, [{ files: names, texts: {}, isSandbox: false }])
      expect(shown?.exit).toBe(4)
    }
    expect(await page.textContent("#result-text")).toContain(`${HOSTILE} is not strict JSON`)
    expect(await page.evaluate("document.querySelectorAll('img[src=x]').length")).toBe(0)
    expect(await overflowing(page)).toEqual([])
    if (view === PHONE_DARK) expect(await accessibilityFaults(page)).toEqual([])
    expect(opened.complaints).toEqual([])
    expect(opened.requested).toEqual([`${served.origin}/verify`])
  })
})

describe("on the saved page", () => {
  beforeEach(() =>
    opened.page.evaluate("document.querySelector('form').reset(); document.getElementById('more').open = true"),
  )
  const state = () => opened.page.textContent("#state")
  const finished = () => opened.page.waitForSelector("form[aria-busy=false]")
  const textOf = (name: string) => String(Buffer.from(given.files[name] ?? ""))

  test("its keys give this server's word, and the verdict says so", async () => {
    const { page } = opened
    await page.setInputFiles("#file-document", join(folder.path, "delivery.json"))
    await page.check("#server-keys")
    expect(await verdictOf(page)).toEqual([EXPIRED, "By this server's word: Genuine, but do not act on it"])
    expect(await page.isVisible("#result-servers-word")).toBe(true)
    expect(await page.textContent("#result-time")).toMatch(/^Judged at 2\S+Z by the clock of this device\./)
    await page.check("#own-keys")
    expect(await page.isHidden("#result")).toBe(true)
    await page.check("#server-keys")
    await page.fill("#paste-issuer", textOf("jwks.json"))
    expect(await page.isChecked("#own-keys")).toBe(true)
    expect(await verdictOf(page)).toEqual([EXPIRED, "Genuine, but do not act on it"])
    expect(await page.isVisible("#result-servers-word")).toBe(false)
  })

  test("dropped files go to their fields, the page says where, and a file replaces a pasted text", async () => {
    const { page } = opened
    await page.fill("#paste-document", "pasted")
    await give(page, "drop", {
      files: ["request.json", "jwks.json", "delivery.json", "broken.json"].map((name) => [name, textOf(name)]),
    })
    await finished()
    expect(await state()).toBe(
      "Document: delivery.json. Keys of the issuer: jwks.json. Request: request.json. Not used: broken.json.",
    )
    expect(await page.inputValue("#paste-document")).toBe("")
    expect(await page.evaluate("document.getElementById('file-request').files[0].name")).toBe("request.json")
    await page.fill("#text-at", "2026-11-20T10:00:01Z")
    await page.click("#more summary")
    await verdictOf(page)
    const ran = await runLine(
      "delivery.json --issuer jwks.json --request request.json --at 2026-11-20T10:00:01Z",
      folder.path,
    )
    expect(await page.textContent("#result-text")).toBe(ran.text)
    expect(await page.isVisible("#text-at")).toBe(true)
    await page.fill("#paste-document", "pasted")
    expect(await page.evaluate("document.getElementById('file-document').files.length")).toBe(0)
  })

  test("a name from right to left does not turn the names beside it", async () => {
    const { page } = opened
    await give(page, "drop", { files: [["\u202egood.json", textOf("delivery.json")]] })
    await finished()
    expect(await page.evaluate("document.querySelector('#state bdi').textContent")).toBe("\u202egood.json")
  })

  test("a pasted text goes into its field although a picture of it comes along, and pasted files go to theirs", async () => {
    const { page } = opened
    await page.focus("#paste-document")
    const picture: [string, string, string] = ["image.png", "png", "image/png"]
    expect(await give(page, "paste", { text: "{}", files: [picture] })).toBe("left to the browser")
    expect(await state()).toBe("")
    const file: [string, string] = ["jwks.json", textOf("jwks.json")]
    expect(await give(page, "paste", { text: "jwks.json", files: [file] })).toBe("taken")
    await finished()
    expect(await state()).toBe("Keys of the issuer: jwks.json.")
  })

  test("too many files are refused with the limit", async () => {
    const names = Array.from({ length: 65 }, (_, at) => `${at}.json`)
    const files = Object.fromEntries(["manifest.json", ...names].map((name) => [name, "{}"]))
    const inputs = { files: { document: ["manifest.json"], listed: names }, texts: {}, isSandbox: false }
    const [shown] = await checkInPage(opened.page, files, [inputs])
    expect(shown?.state).toBe("66 files were given, and this page takes at most 64. Choose fewer.")
    expect(await opened.page.isHidden("#result")).toBe(true)
  })

  test("a change of the form removes the verdict", async () => {
    const { page } = opened
    const changes: Readonly<Record<string, () => Promise<unknown>>> = {
      "another text": () => page.fill("#paste-document", "{}"),
      "another file": () => page.setInputFiles("#file-document", join(folder.path, "broken.json")),
      "another time": () => page.fill("#text-at", "2027-01-01T00:00:00Z"),
      "another action": () => page.selectOption("#text-require", "HOLD_PAYMENT"),
      "dropped files": () => give(page, "drop", { files: [["broken.json", "{"]] }).then(finished),
      "a cleared form": () => page.click("button[type=reset]"),
    }
    await page.fill("#paste-document", textOf("delivery.json"))
    await page.fill("#paste-issuer", textOf("jwks.json"))
    await page.fill("#text-at", "2026-11-20T10:00:01Z")
    expect(await verdictOf(page)).toEqual([
      "Do not pay: it was judged for 10:00 UTC on 20 November 2026, not for now",
      "Genuine and current at the given time",
    ])
    for (const [what, change] of Object.entries(changes)) {
      await change()
      expect([what, await page.isHidden("#result"), await page.textContent("#result-title")]).toEqual([what, true, ""])
      expect(await state()).not.toContain("Result")
      await verdictOf(page)
    }
  })

  test("a slow check of a file that was replaced shows nothing", async () => {
    const { page } = opened
    await page.fill("#paste-issuer", textOf("jwks.json"))
    await page.fill("#text-at", "2026-11-20T10:00:01Z")
    await page.setInputFiles("#file-document", join(folder.path, "delivery.json"))
    await page.evaluate(`
      const read = File.prototype.arrayBuffer
      globalThis.slow = Promise.withResolvers()
      File.prototype.arrayBuffer = function () {
        return this.name === "delivery.json" ? slow.promise.then(() => read.call(this)) : read.call(this)
      }
      document.querySelector("form").requestSubmit()`)
    await page.setInputFiles("#file-document", join(folder.path, "pretty-forged.json"))
    expect(await verdictOf(page)).toEqual(["Do not rely on it", "Not genuine"])
    await page.evaluate("slow.resolve()")
    await finished()
    expect(await page.textContent("#result-title")).toBe("Do not rely on it")
  })

  test("a fault of the page itself is said, and leaves no verdict", async () => {
    const { page } = opened
    await page.evaluate("document.getElementById('text-at').remove(); document.querySelector('form').requestSubmit()")
    await finished()
    expect(await state()).toBe("This page has a fault: nothing was checked. Use the command bizauth verify.")
    expect(await page.isHidden("#result")).toBe(true)
    expect(opened.complaints.at(-1)).toContain("the page has no such element: text-at")
  })
})

describe("the page shows the command and no form", () => {
  const COMMAND = "bizauth verify ./document.json --issuer ./issuer.jwks.json"

  test("without JavaScript", async () => {
    const url = `${served.origin}/verify`
    await using opened = await openPage(browser, url, DESKTOP_LIGHT, { javaScriptEnabled: false })
    expect(await opened.page.isVisible(`text=${COMMAND}`)).toBe(true)
    expect(await opened.page.isHidden("form")).toBe(true)
  })

  test("when its script was changed, because its policy then forbids the script", async () => {
    const path = join(folder.path, "changed page.html")
    await Bun.write(path, (await Bun.file(fileURLToPath(saved)).text()).replace("<script>", "<script> "))
    await using opened = await open(pathToFileURL(path).href)
    expect(await opened.page.isVisible(`text=${COMMAND}`)).toBe(true)
    expect(await opened.page.isHidden("form")).toBe(true)
    expect(opened.complaints.join()).toContain("Content Security Policy")
  })
})
