/** Writes the verdict into the page. Every text goes into a text node, so a name in a file stays text. */

import type { CheckState, ReportLine } from "../../offline/report.ts"
import type { Verdict } from "../../offline/words/judge-report.ts"
import { element, made } from "./page-elements.ts"
import type { PageLine, PageVerdict } from "./page-verdict.ts"

const CLASS: Readonly<Record<Verdict, string>> = { GOOD: "good", NOT_NOW: "bad", REFUSED: "bad", OPEN: "bad" }
const STATE: Readonly<Record<CheckState, string>> = {
  OK: "passed",
  INVALID: "FAIL",
  UNCHECKED: "not checked",
  REFORMATTED: "note",
  NOTE: "note",
}

export function showVerdict(shown: PageVerdict, isServersWord: boolean): void {
  const { verdict, title, advice, lines, checks, text, command, exit } = shown
  const words = isServersWord ? `By this server's word: ${title}` : title
  element("title").textContent = words
  element("title").className = CLASS[verdict]
  element("advice").textContent = advice
  element("time").hidden = shown.judgedAt === null
  element("time").textContent = timeText(shown)
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
  for (const name of ["title", "advice", "time", "lines", "checkRows", "command", "text"] as const)
    element(name).replaceChildren()
}

function timeText({ judgedAt, isDeviceTime }: PageVerdict): string {
  if (judgedAt === null) return ""
  return isDeviceTime
    ? `Judged at ${judgedAt} by the clock of this device. A wrong clock gives a wrong result.`
    : `Judged at the given time, ${judgedAt}. It says nothing about any other time.`
}

function lineOf({ label, texts }: PageLine): HTMLElement {
  return made("div", made("dt", label), ...texts.map((text) => made("dd", text)))
}

/** The style that makes blocks of the rows on a narrow screen takes the roles of a table away. */
function withRole(role: string, node: HTMLElement): HTMLElement {
  node.setAttribute("role", role)
  return node
}

function rowOf({ state, check, detail }: ReportLine): HTMLElement {
  const row = withRole(
    "row",
    made("tr", ...[STATE[state], check, detail].map((text) => withRole("cell", made("td", text)))),
  )
  if (state === "INVALID" || state === "UNCHECKED") row.firstElementChild?.classList.add("bad")
  row.lastElementChild?.classList.add("long")
  return row
}
