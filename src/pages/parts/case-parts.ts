/** A case on a page: the band with the permission, what stopped it, the way out, and what was compared with what. */
import type {
  Case,
  CaseEntry,
  CaseGate,
  CaseHit,
  CaseReason,
  CaseWay,
  ComparedRow,
  Permission,
} from "../../../schemas/case.ts"
import {
  COMPARISON_WORDS,
  caseNotes,
  ENTRY_TITLE,
  entryWords,
  GATE_WORDS,
  judgedWords,
  NO_POLICY,
  PAGE_LABEL,
  PRINTED_CHARACTERS_MAX,
  purchaseWords,
  reasonsTitle,
  scoreWords,
  screenedWords,
  UNKNOWN_WAY,
  whoMay,
} from "../../case/words/case-words.ts"
import { type Headline, timeInWords } from "../../case/words/headline.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { breakable } from "./breakable.ts"
import { type PageElement, type PagePart, part } from "./page-part.ts"
import { tablePart } from "./table-part.ts"

const TONE: Readonly<Record<Permission, string>> = {
  PAY: "pay",
  PAY_IF: "pay-if",
  HOLD: "hold",
  STOP: "stop",
  NO_ANSWER: "none",
}

interface Band {
  readonly headline: Headline
  /** Quiet words, such as the kind of document. Empty for none. */
  readonly above: string
  /** Whether the document is genuine, as far as this page knows. Empty if the headline says it. */
  readonly authenticity: string
  readonly heading: "h1" | "h2"
  /** Of the heading. */
  readonly attributes?: Readonly<Record<string, string>>
}

export function bandPart({ headline, above, authenticity, heading, attributes }: Band): PageElement {
  const { words, more, tone } = headline
  const lines = [authenticity, ...more].filter((text) => text !== "")
  return part(
    "div",
    [
      ...(above === "" ? [] : [part("p", [plainText(above)], { class: "quiet" }), "\n"]),
      part(heading, [plainText(words)], attributes),
      ...lines.flatMap((text) => ["\n", part("p", [plainText(text)])]),
    ],
    { class: `band ${TONE[tone]}` },
  )
}

interface CaseOptions {
  readonly heading: "h2" | "h3"
  /** Null for a page that is read without the server: reasons are then no links. */
  readonly reasonHref: ((code: string) => string) | null
}

export function caseParts(one: Case, { heading, reasonHref }: CaseOptions): readonly PagePart[] {
  const { stopped_by: reasons, ways, gates, hits, asked } = one
  const title = (words: string) => part(heading, [words])
  const rows = asked.map(({ label, value }) => [plainText(label, 80), name(value)])
  return [
    ...(reasons.length === 0
      ? []
      : [
          title(reasonsTitle(one)),
          part(
            "dl",
            reasons.map((row) => reasonRow(row, reasonHref)),
          ),
        ]),
    ...(ways.length === 0 ? [] : [title("The way out"), part("dl", ways.map(wayPart))]),
    ...(asked.length === 0 ? [] : [title("What was asked"), tablePart("What was asked", ["What", "Value"], rows)]),
    ...hits.flatMap((hit) => [title(`Listed entry ${hit.number}`), ...hitParts(hit)]),
    ...gates.flatMap((gate) => [title(gate.title), ...gateParts(gate)]),
    ...caseNotes(one).map((text) => part("p", [plainText(text)], { class: "quiet" })),
  ].flatMap((piece) => [piece, "\n"])
}

/** Text of a stranger. It keeps its own writing direction and does not change that of the words around it. */
function name(text: string, charactersMax?: number): PageElement {
  return part("bdi", breakable(text, charactersMax))
}

function code(text: string): PageElement {
  return part("code", [plainText(text)])
}

function reasonRow({ code: id, why }: CaseReason, reasonHref: CaseOptions["reasonHref"]): PageElement {
  // A path takes no other text than a code of a policy.
  const term = reasonHref !== null && why !== null ? part("a", [code(id)], { href: reasonHref(id) }) : code(id)
  return part("div", [part("dt", [term]), part("dd", [plainText(why ?? NO_POLICY)])])
}

export function wayPart(way: CaseWay): PageElement {
  const words = `${way.words ?? UNKNOWN_WAY} ${whoMay(way)} ${purchaseWords(way)}`
  const call = way.way === null ? [] : [" ", part("code", [plainText(way.way)], { class: "call" })]
  return part("div", [part("dt", [code(way.code)]), part("dd", [words, ...call])])
}

function hitParts(hit: CaseHit): PagePart[] {
  const [role, screened] = screenedWords(hit)
  const judged = judgedWords(hit)
  const title = `Listed entry ${hit.number}`
  return [
    part("p", [name(entryWords(hit)), ". ", plainText(scoreWords(hit)), "."]),
    ...(judged === "" ? [] : [part("p", [part("strong", [plainText(judged)])])]),
    part("p", [plainText(role), " ", name(screened)]),
    comparedTable(title, ["What", "Screened", "Listed entry"], hit.compared),
    ...(hit.entry === null ? [] : entryParts(title, hit.entry)),
  ]
}

function entryParts(title: string, { rows, link }: CaseEntry): PagePart[] {
  const cells = rows.map(({ label, value }) => [name(label, 80), name(value, PRINTED_CHARACTERS_MAX)])
  // The link is of a table of this program, never of the document.
  const page: PagePart[][] =
    link === null ? [] : [[PAGE_LABEL, part("a", breakable(link), { href: link, rel: "noreferrer" })]]
  return [
    part("p", [`${ENTRY_TITLE}:`]),
    tablePart(`${title}, ${ENTRY_TITLE.toLowerCase()}`, ["What", "Text"], [...cells, ...page]),
  ]
}

function gateParts({ title, outcome, compared }: CaseGate): PagePart[] {
  return [
    part("p", [`The check ${GATE_WORDS[outcome]}.`]),
    ...(compared.length === 0 ? [] : [comparedTable(title, ["What", "Asked", "Found"], compared)]),
  ]
}

function comparedTable(title: string, sides: readonly string[], rows: readonly ComparedRow[]): PageElement {
  return tablePart(
    title,
    [...sides, "Result", "Source", "Date"],
    rows.map(({ what, asked, found, result, source, date }) => [
      part("span", breakable(what)),
      asked === null ? "not asked" : name(asked),
      found === null ? "not stated" : name(found, PRINTED_CHARACTERS_MAX),
      result === "DIFFERS" ? part("strong", [COMPARISON_WORDS[result]]) : COMPARISON_WORDS[result],
      source === null ? "none" : part("span", breakable(source)),
      timePart(date),
    ]),
  )
}

function timePart(time: string | null): PagePart {
  if (time === null) return "unknown"
  return part("time", [plainText(timeInWords(time, null))], { datetime: time, title: time })
}
