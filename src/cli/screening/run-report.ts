/** The report of one screening of a file: which names were screened against what, and what came out. */
import { VERSION } from "../../base/build-facts.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { type Digest, digestOf } from "../../core/digest.ts"
import { formatInstant, instant } from "../../core/time.ts"
import { SCORER } from "../../sources/screening/scorer.ts"
import { digits } from "../progress-text.ts"
import type { RowOptions, Tally } from "./screened-rows.ts"
import type { LoadedLists } from "./screening-lists.ts"

const KIND = "svc-screening-report-1"

/** The bytes of a file, or of the part of it that exists. */
export interface ScreenedBytes {
  readonly sha256: string
  readonly bytes: number
}

export interface RunReport {
  readonly version: 1
  readonly kind: typeof KIND
  /** False while the screening runs and after it was interrupted. Then the numbers are those of the last safe point. */
  readonly complete: boolean
  readonly program: string
  readonly started_at: string
  readonly finished_at: string | null
  /** Two runs with the same conditions give the same output. */
  readonly conditions: Digest
  readonly input: ScreenedBytes
  readonly output: ScreenedBytes & { readonly form: "CSV" | "JSON_LINES" }
  readonly threshold: number
  readonly scorer_version: string
  readonly parameter_digest: string
  readonly names_listed: number
  readonly sources: readonly ReportedSource[]
  /** Judgements of the operator that were in force. */
  readonly suppressions: number
  readonly counts: Tally
}

interface ReportedSource {
  readonly source_id: string
  readonly health: string
  readonly snapshot_id: string | null
  readonly source_version: string | null
  readonly raw_sha256: string | null
  readonly retrieved_at: string | null
  readonly published_at: string | null
}

/** What a run does not change while it runs. */
export type RunTerms = Omit<RunReport, "complete" | "finished_at" | "output" | "counts">

export function runTerms(lists: LoadedLists, options: RowOptions, input: ScreenedBytes): RunTerms {
  const suppressions = inForce(lists)
  const { listed, at } = lists
  const stated = {
    program: VERSION,
    threshold: options.threshold,
    scorer_version: SCORER.version,
    parameter_digest: SCORER.parameterDigest,
    names_listed: listed.parties.reduce((sum, { names }) => sum + names.length, 0),
    sources: lists.sources.map(reportedSource),
  }
  const conditions = digestOf({
    ...{ kind: KIND, ...stated, input, json: options.json, suppressions },
    snapshots: listed.snapshotIds,
    parties: listed.parties.length,
  })
  return {
    ...{ version: 1, kind: KIND, ...stated, started_at: formatInstant(at), conditions, input },
    suppressions: suppressions.length,
  }
}

/** An expired judgement changes the output, so the ones in force are a condition of it. */
function inForce({ suppressions, at }: LoadedLists): readonly string[] {
  return [...suppressions.values()]
    .flat()
    .filter(({ expiresAt }) => instant(expiresAt) > at)
    .map(({ suppressionId, recordDigest }) => `${suppressionId} ${recordDigest}`)
    .sort()
}

function reportedSource({ sourceId, health, snapshot }: LoadedLists["sources"][number]): ReportedSource {
  return {
    source_id: sourceId,
    health,
    snapshot_id: snapshot?.snapshotId ?? null,
    source_version: snapshot?.sourceVersion ?? null,
    raw_sha256: snapshot?.rawSha256 ?? null,
    retrieved_at: snapshot?.retrievedAt ?? null,
    published_at: snapshot?.publishedAt ?? null,
  }
}

export function reportText(report: RunReport): string {
  return `${JSON.stringify(report, null, 2)}\n`
}

/** Exits with 4 for a text that is not a report of this form. */
export function readReport(text: string, path: string): RunReport {
  try {
    const report = JSON.parse(text) as RunReport
    if (report.kind === KIND && typeof report.conditions === "string" && Number.isSafeInteger(report.output.bytes))
      return report
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  throw new CommandError(
    EXIT.NOT_CHECKED,
    `${path} is not a report of screen --file; remove it and the file of partial results beside it, and begin again`,
  )
}

/** The summary for a person. */
export function summaryText({ counts, output, input, sources, scorer_version, conditions }: RunReport): string {
  const byCount = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .map(([what, count]) => `${what} ${digits(count)}`)
      .join(", ")
  const rows = [
    `${digits(counts.names)} names screened`,
    `states      ${byCount(counts.states) || "none"}`,
    `worst hits  ${byCount(counts.lists) || "none"}`,
    `near misses ${digits(counts.near_misses)} names without a hit`,
    ...(counts.suppressed > 0 ? [`suppressed  ${digits(counts.suppressed)} names`] : []),
    `lists       ${sources.map(({ source_id, snapshot_id }) => `${source_id} ${snapshot_id ?? "none"}`).join(", ")}`,
    `scorer      ${scorer_version}`,
    `input       ${input.sha256}  ${digits(input.bytes)} bytes`,
    `output      ${output.sha256}  ${digits(output.bytes)} bytes`,
    `conditions  ${conditions}`,
  ]
  return `${rows.join("\n")}\n`
}
