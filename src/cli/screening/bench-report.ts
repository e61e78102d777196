/** The result of `screening bench` as text, as JSON and as a page. */
import { dataTable } from "../../pages/data-table.ts"
import { type Html, html } from "../../pages/html.ts"
import { singleFile } from "../../pages/single-file.ts"
import { digits } from "../progress-text.ts"
import { tableLines } from "../rows.ts"
import { countsAt, type GroupCounts, MARKS, type Quality, qualityAt } from "./bench-counts.ts"

export interface BenchResult {
  /** The default mark of the tables. */
  readonly mark: number
  readonly groups: readonly GroupCounts[]
  readonly all: GroupCounts
  readonly input: { readonly sha256: string; readonly bytes: number }
  readonly scorer: { readonly version: string; readonly parameterDigest: string }
  /** Maps source id to snapshot id. */
  readonly snapshots: Readonly<Record<string, string>>
  readonly namesListed: number
}

const SHOWN_MARKS = MARKS.filter((mark) => Math.round(mark * 100) % 5 === 0)
const GROUP_HEAD = ["class", "names", "listed", "found", "recall", "false alerts", "share", "other entry", "unread"]
const MARK_HEAD = ["mark", "recall", "precision", "F1", "alerts", "false alerts", "share"]

const decimal = (value: number | null): string => (value === null ? "-" : value.toFixed(3))
const percent = (value: number | null): string => (value === null ? "-" : `${(100 * value).toFixed(2)} %`)

function groupCells(group: GroupCounts, mark: number): readonly string[] {
  const counts = countsAt(group, mark)
  const { recall, falseAlertShare } = qualityAt(group, counts)
  return [
    ...[group.group, digits(group.names), digits(group.listed), digits(counts.found), decimal(recall)],
    ...[digits(counts.falseAlerts), percent(falseAlertShare), digits(counts.otherEntries), digits(group.unread)],
  ]
}

function markCells(all: GroupCounts, mark: number): readonly string[] {
  const counts = countsAt(all, mark)
  const { recall, precision, f1, alerts, falseAlertShare } = qualityAt(all, counts)
  return [
    ...[mark.toFixed(2), decimal(recall), decimal(precision), decimal(f1), digits(alerts)],
    ...[digits(counts.falseAlerts), percent(falseAlertShare)],
  ]
}

const groupRows = ({ groups, all, mark }: BenchResult) => [...groups, all].map((group) => groupCells(group, mark))
const markRows = ({ all }: BenchResult) => SHOWN_MARKS.map((mark) => markCells(all, mark))

export function benchText(result: BenchResult): string {
  const { mark, scorer, snapshots, input, namesListed } = result
  return [
    `at mark ${mark.toFixed(2)}`,
    ...tableLines([GROUP_HEAD, ...groupRows(result)]),
    "",
    "all names by mark",
    ...tableLines([MARK_HEAD, ...markRows(result)]),
    "",
    `scorer  ${scorer.version}  ${scorer.parameterDigest}`,
    `lists   ${listsText(snapshots)}, ${digits(namesListed)} names`,
    `input   ${input.sha256}`,
    "",
  ]
    .map(printableLine)
    .join("\n")
}

/** A class of the file must not control the terminal. */
const printableLine = (line: string): string => line.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\ufffd")

const listsText = (snapshots: BenchResult["snapshots"]): string =>
  Object.entries(snapshots)
    .map(([source, snapshot]) => `${source} ${snapshot}`)
    .join(", ") || "none"

export function benchJson({ mark, groups, all, input, scorer, snapshots, namesListed }: BenchResult) {
  return {
    version: 1,
    mark,
    input,
    scorer_version: scorer.version,
    parameter_digest: scorer.parameterDigest,
    snapshots,
    names_listed: namesListed,
    all: groupJson(all),
    classes: groups.map(groupJson),
  }
}

function groupJson(group: GroupCounts) {
  return {
    class: group.group,
    names: group.names,
    listed: group.listed,
    unread: group.unread,
    marks: group.marks.map((counts) => ({
      mark: counts.mark,
      found: counts.found,
      false_alerts: counts.falseAlerts,
      other_entries: counts.otherEntries,
      ...qualityJson(qualityAt(group, counts)),
    })),
  }
}

function qualityJson({ recall, precision, f1, alerts, falseAlertShare }: Quality) {
  return { recall, precision, f1, alerts, false_alert_share: falseAlertShare }
}

/** One file without a script; its policy allows its style and nothing else. */
export function benchPage(result: BenchResult): string {
  const { mark, all, scorer, snapshots, input, namesListed } = result
  const cells = (rows: readonly (readonly string[])[]) => rows.map((row) => row.map((cell) => html`${cell}`))
  return singleFile(
    "How well screening finds",
    html`<h1>How well screening finds</h1>
<p class="lead">${digits(all.names)} labelled names, ${digits(all.listed)} of them listed, against ${digits(namesListed)} listed names.</p>
<h2>Recall and precision by mark</h2>
${curve(all)}
<p class="quiet">The solid line is recall: the share of the listed names whose own entry is a hit. The dashed line is precision: the share of the alerts that are right.</p>
${dataTable("All names by mark", MARK_HEAD, cells(markRows(result)))}
<h2>By class, at mark ${mark.toFixed(2)}</h2>
${dataTable("By class", GROUP_HEAD, cells(groupRows(result)))}
<h2>What was measured</h2>
<dl>
<div><dt>Scorer</dt><dd>${scorer.version} <code>${scorer.parameterDigest}</code></dd></div>
<div><dt>Lists</dt><dd>${listsText(snapshots)}</dd></div>
<div><dt>File</dt><dd><code>${input.sha256}</code>, ${digits(input.bytes)} bytes</dd></div>
</dl>`,
  )
}

const WIDTH = 640
const HEIGHT = 320
const EDGE = 44
const TICKS = [0, 0.25, 0.5, 0.75, 1]

const [FIRST = 0] = MARKS
const LAST = MARKS.at(-1) ?? 1
const x = (mark: number): string => (EDGE + ((mark - FIRST) / (LAST - FIRST)) * (WIDTH - 2 * EDGE)).toFixed(1)
const y = (share: number): string => (HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE)).toFixed(1)

function curve(all: GroupCounts): Html {
  const at = MARKS.map((mark) => ({ mark, ...qualityAt(all, countsAt(all, mark)) }))
  const line = (share: (quality: Quality) => number | null, dashes: string) => {
    const points = at.flatMap((one) => {
      const value = share(one)
      return value === null ? [] : [`${x(one.mark)},${y(value)}`]
    })
    return html`<polyline points="${points.join(" ")}" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="${dashes}"/>
`
  }
  return html`<svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" width="100%" role="img" aria-label="Recall and precision from mark ${FIRST.toFixed(2)} to ${LAST.toFixed(2)}; the table below has the numbers">
${TICKS.map(
  (
    share,
  ) => html`<line x1="${x(FIRST)}" x2="${x(LAST)}" y1="${y(share)}" y2="${y(share)}" stroke="currentColor" stroke-opacity="0.2"/>
<text x="${String(EDGE - 8)}" y="${y(share)}" text-anchor="end" dominant-baseline="middle" font-size="12" fill="currentColor">${share.toFixed(2)}</text>
`,
)}${SHOWN_MARKS.map(
  (
    mark,
  ) => html`<text x="${x(mark)}" y="${String(HEIGHT - EDGE + 20)}" text-anchor="middle" font-size="12" fill="currentColor">${mark.toFixed(2)}</text>
`,
)}${line(({ recall }) => recall, "none")}${line(({ precision }) => precision, "6 5")}</svg>`
}
