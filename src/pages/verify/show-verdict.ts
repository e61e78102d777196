/** Writes the verdict into the page. Every text goes into a text node, so a name in a file stays text. */

import type { CheckState, ReportLine } from "../../offline/report.ts"
import { bandPart, caseParts } from "../parts/case-parts.ts"
import type { PagePart } from "../parts/page-part.ts"
import { ID } from "./element-ids.ts"
import { element, made, nodesOf } from "./page-elements.ts"
import type { PageLine, PageVerdict } from "./page-verdict.ts"

const STATE: Readonly<Record<CheckState, string>> = {
  OK: "passed",
  INVALID: "FAIL",
  UNCHECKED: "not checked",
  REFORMATTED: "note",
  NOTE: "note",
}

export function showVerdict(shown: PageVerdict, isServersWord: boolean): void {
  const { headline, advice, lines, checks, text, command, exit } = shown
  const title = isServersWord ? `By this server's word: ${shown.title}` : shown.title
  element("band").replaceChildren(...nodesOf(bandOf(shown, title)))
  element("case").replaceChildren(...(shown.case === null ? [] : nodesOf(caseParts(shown.case, IN_RESULT))))
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
  element("state").textContent = `Result: ${headline === null ? title : `${headline.words}. ${title}`}`
  element("title").focus()
}

export function hideVerdict(): void {
  element("result").hidden = true
  for (const name of ["title", "advice", "time", "case", "lines", "checkRows", "command", "text"] as const)
    element(name).replaceChildren()
}

/** Headings below that of the result. A saved page has no server whose pages it could link. */
const IN_RESULT = { heading: "h3", reasonHref: null } as const

/** Only a permission to pay, or to go on, is green. */
function bandOf({ headline, warnings }: PageVerdict, title: string): readonly PagePart[] {
  const shown = headline ?? { words: title, more: [], tone: "NO_ANSWER" }
  const authenticity = headline === null ? "" : title
  const attributes = { id: ID.title, tabindex: "-1" }
  const more = [...shown.more, ...warnings]
  return [bandPart({ headline: { ...shown, more }, above: "", authenticity, heading: "h2", attributes })]
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
