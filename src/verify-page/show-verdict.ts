/** Writes the verdict into the page. Every text goes into a text node, so a name in a file stays text. */
import type { Verdict } from "../documents/judge-report.ts"
import type { CheckState, ReportLine } from "../documents/report.ts"
import type { VerdictLine } from "../documents/verdict-text.ts"
import { element } from "./page-elements.ts"
import type { PageVerdict } from "./page-verdict.ts"
import { ADVICE } from "./verdict-words.ts"

const CLASS: Readonly<Record<Verdict, string>> = { GOOD: "good", NOT_NOW: "bad", REFUSED: "bad", OPEN: "bad" }
const STATE: Readonly<Record<CheckState, string>> = {
  OK: "passed",
  INVALID: "FAIL",
  UNCHECKED: "not checked",
  REFORMATTED: "note",
  NOTE: "note",
}

export function showVerdict(shown: PageVerdict, isServersWord: boolean): void {
  const { verdict, title, lines, checks, text, command, exit } = shown
  const words = isServersWord ? `By this server's word: ${title}` : title
  element("title").textContent = words
  element("title").className = CLASS[verdict]
  element("advice").textContent = ADVICE[verdict]
  element("serversWord").hidden = !isServersWord
  element("lines").hidden = lines.length === 0
  element("lines").replaceChildren(...lines.map(lineOf))
  element("checks").hidden = checks.length === 0
  element("checkRows").replaceChildren(...checks.map(rowOf))
  element("command").textContent = `bizauth ${command} prints this and exits with ${exit}:`
  element("text").textContent = text
  element("result").hidden = false
  element("state").textContent = `Result: ${words}`
  element("title").focus()
}

export function hideVerdict(): void {
  element("result").hidden = true
  for (const name of ["title", "advice", "lines", "checkRows", "command", "text"] as const)
    element(name).replaceChildren()
}

const NAMES: Readonly<Record<VerdictLine["name"], string>> = {
  genuine: "Genuine",
  current: "Current",
  permitted: "Permitted",
}

function lineOf({ name, texts }: VerdictLine): HTMLElement {
  return made("div", made("dt", NAMES[name]), ...texts.map((text) => made("dd", text)))
}

function rowOf({ state, check, detail }: ReportLine): HTMLElement {
  const row = made("tr", made("td", STATE[state]), made("td", check), made("td", detail))
  if (state === "INVALID" || state === "UNCHECKED") row.firstElementChild?.classList.add("bad")
  row.lastElementChild?.classList.add("long")
  return row
}

function made(tag: string, ...content: (string | Node)[]): HTMLElement {
  const node = document.createElement(tag)
  node.append(...content)
  return node
}
