/** A case as text for a terminal. */
import type { Case, CaseGate, CaseHit, CaseWay, ComparedRow } from "../../../schemas/case.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { wrapped } from "../../core/text/wrapped.ts"
import {
  COMPARISON_WORDS,
  caseNotes,
  ENTRY_TITLE,
  entryWords,
  GATE_WORDS,
  judgedWords,
  NO_POLICY,
  PRINTED_CHARACTERS_MAX,
  purchaseWords,
  reasonsTitle,
  scoreWords,
  screenedWords,
  shownEntry,
  UNKNOWN_WAY,
  whoMay,
} from "./case-words.ts"
import { labelledLines } from "./labelled-lines.ts"

/** As wide as the longest word for a comparison. */
const RESULT_WIDTH = 10

/** Blocks of lines, `width` characters wide at most where words permit. */
export function caseBlocks(one: Case, width: number): string[][] {
  const { asked, stopped_by: reasons, ways, gates, hits } = one
  return [
    reasons.length === 0
      ? []
      : [
          reasonsTitle(one),
          ...reasons.flatMap(({ code, why }) => [
            `  ${plainText(code)}`,
            ...wrapped(plainText(why ?? NO_POLICY), width, "    "),
          ]),
        ],
    ways.length === 0 ? [] : ["The way out", ...ways.flatMap((way) => wayLines(way, width))],
    asked.length === 0 ? [] : ["What was asked", ...labelledLines(asked, width)],
    ...hits.map((hit) => hitLines(hit, width)),
    ...gates.map((gate) => gateLines(gate, width)),
    caseNotes(one).flatMap((note) => wrapped(plainText(note), width, "  ")),
  ]
}

function wayLines(way: CaseWay, width: number): string[] {
  const command = way.way === null ? [] : [`      ${plainText(way.way)}`]
  return [
    `  ${plainText(way.code)}`,
    ...wrapped(plainText(way.words ?? UNKNOWN_WAY), width, "    "),
    ...wrapped(`${whoMay(way)} ${purchaseWords(way)}`, width, "    "),
    ...command,
  ]
}

function hitLines(hit: CaseHit, width: number): string[] {
  const about = [entryWords(hit), scoreWords(hit), judgedWords(hit), screenedWords(hit).join(" ")]
  const rows = hit.entry && shownEntry(hit.entry)
  return [
    `Listed entry ${hit.number}`,
    ...about.flatMap((text) => (text === "" ? [] : wrapped(plainText(text), width, "  "))),
    ...hit.compared.flatMap((row) => comparedLines(row, width)),
    ...(rows === null ? [] : [`  ${ENTRY_TITLE}`, ...labelledLines(rows, width, PRINTED_CHARACTERS_MAX)]),
  ]
}

function gateLines({ title, outcome, compared }: CaseGate, width: number): string[] {
  const head = wrapped(`${title} The check ${GATE_WORDS[outcome]}.`, width, "")
  return [...head, ...compared.flatMap((row) => comparedLines(row, width))]
}

function comparedLines({ what, asked, found, result, source, date }: ComparedRow, width: number): string[] {
  const sides = [asked === null ? null : `asked ${asked}`, found === null ? null : `found ${found}`]
  const origin = [source, date].filter((text) => text !== null).join(", ")
  const text = `${what}: ${sides.filter((side) => side !== null).join("; ")}${origin === "" ? "" : ` (${origin})`}`
  const lines = wrapped(plainText(text, PRINTED_CHARACTERS_MAX), width - RESULT_WIDTH - 4, "")
  return lines.map((line, index) => `  ${(index === 0 ? COMPARISON_WORDS[result] : "").padEnd(RESULT_WIDTH)}  ${line}`)
}
