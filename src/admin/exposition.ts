/** The Prometheus text format, version 0.0.4. */
import { instant, SECOND } from "../core/time.ts"
import type { Histogram } from "../http/process-counts.ts"
import { type AllowedValues, type LabelName, OTHER } from "./label-values.ts"
import { type LabelsOf, METRICS, type Metric, type MetricName } from "./metric-table.ts"

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/** `perSecond`: how many units of the histogram are a second. */
interface Observed {
  readonly histogram: Histogram
  readonly perSecond: number
}

export interface Sample {
  readonly metric: MetricName
  readonly labels: Readonly<Partial<Record<LabelName, string>>>
  readonly value: number | Observed
}

export function sample<M extends MetricName>(metric: M, labels: LabelsOf<M>, value: number | Observed): Sample {
  return { metric, labels, value }
}

/** For how long something has waited. `since`: RFC 3339; null if nothing waits. `now` in milliseconds. */
export function waitSeconds(since: string | null, now: number): number {
  return since === null ? 0 : Math.max(0, now - instant(since)) / SECOND
}

/** Prints the metrics in the order of the table. A metric without a sample is left out. */
export function exposition(samples: readonly Sample[], allowed: AllowedValues): string {
  const byMetric = new Map<MetricName, Sample[]>()
  for (const one of samples) {
    const known = byMetric.get(one.metric)
    if (known) known.push(one)
    else byMetric.set(one.metric, [one])
  }
  const lines: string[] = []
  for (const name of Object.keys(METRICS) as MetricName[]) {
    const found = byMetric.get(name)
    if (!found) continue
    const { help, type }: Metric = METRICS[name]
    lines.push(`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`)
    lines.push(...seriesOf(name, found, allowed))
  }
  return `${lines.join("\n")}\n`
}

function seriesOf(name: MetricName, samples: readonly Sample[], allowed: AllowedValues): readonly string[] {
  const numbers = new Map<string, number>()
  const lines: string[] = []
  for (const { labels, value } of samples) {
    const pairs = labelPairs(name, labels, allowed)
    if (typeof value === "number") numbers.set(pairs, (numbers.get(pairs) ?? 0) + value)
    else lines.push(...bucketLines(name, pairs, value))
  }
  // Several values of a label may have become OTHER: one series may be printed only once.
  for (const [pairs, value] of numbers) lines.push(line(name, pairs, value))
  return lines
}

function bucketLines(name: MetricName, pairs: string, { histogram, perSecond }: Observed): readonly string[] {
  const lines: string[] = []
  let count = 0
  for (const [at, observed] of histogram.counts.entries()) {
    count += observed
    const bound = histogram.bounds[at]
    const le = `le="${bound === undefined ? "+Inf" : bound / perSecond}"`
    lines.push(line(`${name}_bucket`, pairs === "" ? le : `${pairs},${le}`, count))
  }
  return [...lines, line(`${name}_sum`, pairs, histogram.sum / perSecond), line(`${name}_count`, pairs, count)]
}

function labelPairs(metric: MetricName, labels: Sample["labels"], allowed: AllowedValues): string {
  return METRICS[metric].labels
    .map((name: LabelName) => {
      const value = labels[name] ?? ""
      return `${name}="${escapedLabel(allowed[name].has(value) ? value : OTHER)}"`
    })
    .join(",")
}

function line(name: string, pairs: string, value: number): string {
  return `${name}${pairs === "" ? "" : `{${pairs}}`} ${numberText(value)}`
}

export function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN"
  if (value === Number.POSITIVE_INFINITY) return "+Inf"
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value)
}

export function escapedLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}

export function escapedHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
}
