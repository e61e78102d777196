import { LABELS } from "../../src/admin/label-values.ts"
import { METRICS, type Metric } from "../../src/admin/metric-table.ts"
import { code, page, table } from "./markdown.ts"

const SCOPE: Readonly<Record<Metric["from"], string>> = { DATABASE: "all", PROCESS: "this one" }

/** Their one value differs from build to build. */
const BUILD_LABELS = ["version", "commit"]

/** Every metric of `/metrics`, and the closed tables of label values. */
export function metricsPage(): string {
  const metrics = Object.entries(METRICS).map(([name, { type, labels, from, help }]: [string, Metric]) => [
    code(name),
    type,
    labels.map(code).join(", "),
    SCOPE[from],
    help,
  ])
  const labels = Object.entries(LABELS).map(([name, { help, values }]) => [
    code(name),
    help,
    values === null || BUILD_LABELS.includes(name) ? "" : values.map(code).join(", "),
  ])
  return page(
    "Metrics",
    "`GET /metrics` on `admin_listen`, in the Prometheus text format 0.0.4. How to set it up: [Operate](../operate.md#metrics).",
    'A metric of "all" processes is read from what they share: each process on one data directory gives the same value, so take the maximum over ' +
      'processes and never the sum. A metric of "this one" is of one process, and its counter begins at zero with each start.',
    table(["metric", "type", "labels", "processes", "what it says"], metrics),
    "## Labels",
    "A label has one of these values. Anything else is printed as `OTHER`, so no label names a customer, a payer, an agent or an address.",
    table(["label", "what it is", "values"], labels),
  )
}
