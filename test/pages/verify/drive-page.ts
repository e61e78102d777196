/** Gives lines of the corpus to the opened page, as a person would: files into fields, values, the button. */
import type { Page } from "playwright-core"
import type { NamedInputs } from "./command-line.ts"
import type { Files } from "./corpus-files.ts"

/** What the page shows after one check. */
export interface Shown {
  /** The texts of the band: the headline, then whether the document is genuine, and the rest. */
  readonly band: readonly string[]
  readonly text: string
  readonly exit: number
  /** Rows of the table of checks. */
  readonly rows: number
  readonly state: string
}

/** Runs all checks in one call, because a call to the browser takes longer than a check. */
export function checkInPage(page: Page, files: Files, given: readonly NamedInputs[]): Promise<Shown[]> {
  const encoded = Object.fromEntries(
    Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString("base64")]),
  )
  return page.evaluate(checkAll, { files: encoded, given })
}

/** Runs in the browser, so it uses nothing of this module. */
async function checkAll(input: {
  readonly files: Readonly<Record<string, string>>
  readonly given: readonly NamedInputs[]
}): Promise<Shown[]> {
  const form = document.querySelector("form") as HTMLFormElement
  const find = (id: string) => document.getElementById(id) as HTMLInputElement
  const textOf = (id: string) => find(id).textContent ?? ""
  const idle = () =>
    new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        if (form.getAttribute("aria-busy") !== "false") return
        observer.disconnect()
        resolve()
      })
      observer.observe(form, { attributes: true, attributeFilter: ["aria-busy"] })
    })
  const fileOf = (name: string) => {
    const bytes = Uint8Array.from(atob(input.files[name] ?? ""), (character) => character.charCodeAt(0))
    return new File([bytes], name)
  }
  const shown: Shown[] = []
  for (const { files, texts, isSandbox } of input.given) {
    form.reset()
    for (const [field, names = []] of Object.entries(files)) {
      const transfer = new DataTransfer()
      for (const name of names) transfer.items.add(fileOf(name))
      find(`file-${field}`).files = transfer.files
      find(`file-${field}`).dispatchEvent(new Event("change"))
    }
    for (const [name, value = ""] of Object.entries(texts)) find(`text-${name}`).value = value
    find("sandbox").checked = isSandbox
    const done = idle()
    form.requestSubmit()
    await done
    shown.push({
      band: [...document.querySelectorAll("#result-band :is(h2, p)")].map(({ textContent }) => textContent ?? ""),
      text: textOf("result-text"),
      exit: Number(/exits with (\d+)/.exec(textOf("result-command"))?.[1]),
      rows: document.querySelectorAll("#result-check-rows tr").length,
      state: textOf("state"),
    })
  }
  return shown
}

/** Starts a check and returns the first two texts of its result: the headline, and whether the document is genuine. */
export async function verdictOf(page: Page): Promise<readonly string[]> {
  await page.evaluate("document.querySelector('form').requestSubmit()")
  await page.waitForSelector("#result:not([hidden])")
  return page.evaluate<string[]>(
    "[...document.querySelectorAll('#result-band :is(h2, p)')].slice(0, 2).map((one) => one.textContent)",
  )
}

/** What a person drops or pastes: a text, and files with their name, content and media type. */
export interface Given {
  readonly text?: string
  readonly files: readonly (readonly [name: string, content: string, type?: string])[]
}

/** Drops it on the page, or pastes it where the focus is. */
export function give(page: Page, how: "drop" | "paste", given: Given): Promise<"taken" | "left to the browser"> {
  return page.evaluate(
    ({ how, given: { text, files } }) => {
      const transfer = new DataTransfer()
      if (text !== undefined) transfer.setData("text/plain", text)
      for (const [name, content, type = ""] of files) transfer.items.add(new File([content], name, { type }))
      const options = { bubbles: true, cancelable: true }
      const event =
        how === "drop"
          ? new DragEvent("drop", { dataTransfer: transfer, ...options })
          : new ClipboardEvent("paste", { clipboardData: transfer, ...options })
      const target = document.activeElement ?? document.body
      return target.dispatchEvent(event) ? "left to the browser" : "taken"
    },
    { how, given },
  )
}
