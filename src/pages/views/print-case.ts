/** A case as text for a terminal. */
import type { Case, CaseGate, CaseHit, CaseWay, ComparedRow } from "../../../schemas/case.ts"
import {
  COMPARISON_WORDS,
  entryWords,
  GATE_WORDS,
  MISSING_FACTS,
  NO_POLICY,
  purchaseWords,
  scoreWords,
  whoMay,
} from "./case-words.ts"
import { plainText } from "./plain-text.ts"
import { wrapped } from "./wrapped.ts"

/** As wide as the longest word for a comparison. */
const RESULT_WIDTH = 10

/** Blocks of lines, `width` characters wide at most where words permit. */
export function caseBlocks(one: Case, width: number): string[][] {
  const { stopped_by: reasons, ways, gates, hits, notes, missing } = one
  return [
    reasons.length === 0
      ? []
      : [
          one.permission === "PAY_IF" ? "Conditions" : "Stopped by",
          ...reasons.flatMap(({ code, why }) => [
            `  ${plainText(code)}`,
            ...wrapped(plainText(why ?? NO_POLICY), width, "    "),
          ]),
        ],
    ways.length === 0 ? [] : ["The way out", ...ways.flatMap((way) => wayLines(way, width))],
    ...hits.map((hit) => hitLines(hit, width)),
    ...gates.map((gate) => gateLines(gate, width)),
    [...notes, ...(missing.includes("FACTS") ? [MISSING_FACTS] : [])].flatMap((note) =>
      wrapped(plainText(note), width, "  "),
    ),
  ]
}

function wayLines(way: CaseWay, width: number): string[] {
  const command = way.way === null ? [] : [`      ${plainText(way.way)}`]
  return [
    `  ${plainText(way.code)}`,
    ...wrapped(plainText(way.words ?? "This program does not know this remediation."), width, "    "),
    ...wrapped(`${whoMay(way)} ${purchaseWords(way)}`, width, "    "),
    ...command,
  ]
}

function hitLines(hit: CaseHit, width: number): string[] {
  const screened = `${hit.role}: ${hit.screened ?? "not stated"}`
  const judged = hit.suppression
    ? [
        `Judged to be another party (${hit.suppression.suppression_id}), until ${hit.suppression.expires_at ?? "unknown"}.`,
      ]
    : []
  return [
    `Listed entry ${hit.number}`,
    ...[
      plainText(entryWords(hit)),
      plainText(screened),
      plainText(scoreWords(hit)),
      ...judged.map((text) => plainText(text)),
    ]
      .filter((text) => text !== "")
      .flatMap((text) => wrapped(text, width, "  ")),
    ...hit.compared.flatMap((row) => comparedLines(row, width)),
  ]
}

function gateLines({ title, outcome, compared }: CaseGate, width: number): string[] {
  return [`${title} ${GATE_WORDS[outcome]}`, ...compared.flatMap((row) => comparedLines(row, width))]
}

function comparedLines({ what, asked, found, result, source, date }: ComparedRow, width: number): string[] {
  const sides = [asked === null ? null : `asked ${asked}`, found === null ? null : `found ${found}`]
  const origin = [source, date].filter((text) => text !== null).join(", ")
  const text = `${what}: ${sides.filter((side) => side !== null).join("; ")}${origin === "" ? "" : ` (${origin})`}`
  const lines = wrapped(plainText(text), width - RESULT_WIDTH - 4, "")
  return lines.map((line, index) => `  ${(index === 0 ? COMPARISON_WORDS[result] : "").padEnd(RESULT_WIDTH)}  ${line}`)
}
