/** Prints the quality of the screening: every threshold, both halves, and whether each target was met. */
import { AROUND } from "./around-names.ts"
import { THRESHOLDS } from "./measure-quality.ts"
import type { Block, PairRow, Quality, Row } from "./quality.ts"

/** Index of 0.80, tolerance MEDIUM, in `THRESHOLDS`. */
const MEDIUM = THRESHOLDS.indexOf(0.8)

/** Minimum recall and maximum share of alerts at 0.80. */
const RECALL_TARGETS: Readonly<Record<string, number>> = {
  exact: 1,
  "word order": 0.997,
  "one typo": 0.965,
  "typo and order": 0.947,
  transliteration: 0.922,
  joined: 0.945,
  "legal form": 1,
  "two typos": 0.75,
  "UN treated": 0.999,
}
/** 55 of 60. */
const CONTAINED_TARGETS = Object.fromEntries(Object.keys(AROUND).map((form) => [form, 55 / 60]))
const ALERT_TARGETS: Readonly<Record<string, number>> = {
  "US persons": 0.004,
  "global persons": 0.003,
  Congress: 0.004,
  "SAM firms": 0.011,
}
const F1_TARGET = 0.83

const share = (value: number): string => value.toFixed(3)
const percent = (value: number): string => (100 * value).toFixed(2)
const atLeast = (value: number, target: number): boolean => value >= target
const atMost = (value: number, target: number): boolean => value <= target
const verdict = (met: boolean): string => (met ? "PASS" : "MISSED")

export function qualityReport(quality: Quality): string {
  return `${quality.parties} parties, ${quality.names} names; dev and test are two fixed halves of the cases

${table(quality.recall, { title: "recall", print: share, targets: RECALL_TARGETS, met: atLeast })}
${table(quality.contained, { title: "contained", print: share, targets: CONTAINED_TARGETS, met: atLeast })}
${table(quality.containedPersons, { title: "contained persons", print: share, targets: CONTAINED_TARGETS, met: atLeast })}
${table(quality.alerts, { title: "alerts, %", print: percent, targets: ALERT_TARGETS, met: atMost })}
${pairs(quality.pairs)}
block tier on ${quality.blocks.firms} real firms
${blocks("with their country", quality.blocks.withCountry)}${blocks("without a country", quality.blocks.withoutCountry)}${blocks("held for a conflicting country", quality.blocks.heldByCountry)}`
}

/** `blocked` are the common names that block by name and country. */
export const commonNamesReport = (names: number, blocked: readonly string[]): string =>
  `common names that block by name and country: ${blocked.length} of ${names} (target 0: ${verdict(blocked.length === 0)})\n`

/** What a table measures, and its targets by the name of the row. */
interface Measure {
  readonly title: string
  readonly print: (value: number) => string
  readonly targets: Readonly<Record<string, number>>
  readonly met: (value: number, target: number) => boolean
}

function table(rows: readonly Row[], { title, print, targets, met }: Measure): string {
  const head = `${title.padEnd(26)}${"cases".padStart(6)}  ${THRESHOLDS.map((at) => at.toFixed(2).padStart(6)).join("")}     dev   test  target at 0.80\n`
  const lines = rows.map(({ name, cases, all, dev, test }) => {
    const target = targets[name]
    const judged = target === undefined ? "" : `${print(target).padStart(6)}  ${verdict(met(all[MEDIUM]!, target))}`
    const halves = [dev[MEDIUM]!, test[MEDIUM]!].map((value) => print(value).padStart(7)).join("")
    return `${name.padEnd(26)}${String(cases).padStart(6)}  ${all.map((value) => print(value).padStart(6)).join("")} ${halves}${judged}\n`
  })
  return head + lines.join("")
}

function pairs(rows: readonly PairRow[]): string {
  const lines = rows.map(({ half, cases, threshold, precision, recall, f1 }, at) => {
    const judged = at === 0 ? `  target ${F1_TARGET}  ${verdict(f1 >= F1_TARGET)}` : ""
    return `${half.padEnd(5)}${String(cases).padStart(5)} at ${threshold.toFixed(2)}  P ${share(precision)}  R ${share(recall)}  F1 ${share(f1)}${judged}\n`
  })
  return `labelled pairs; the last two lines at the threshold that is best on dev\n${lines.join("")}`
}

const blocks = (title: string, found: readonly Block[]): string =>
  `${title}: ${found.length}\n${found.map(({ firm, countries, listed, entryId }) => `  ${firm} [${countries.join(",")}] -> ${listed} (${entryId})\n`).join("")}`
