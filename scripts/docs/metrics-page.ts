import { LABELS } from "../../src/admin/label-values.ts"
import { METRICS, type Metric } from "../../src/admin/metric-table.ts"
import { code, page, table } from "./markdown.ts"

const OVER: Readonly<Record<Metric["over"], string>> = { MAX: "max", SUM: "sum", EACH: "each" }

/** Their one value differs from build to build. */
const BUILD_LABELS = ["version", "commit"]

/** Every metric of `/metrics`, and the closed tables of label values. */
export function metricsPage(): string {
  const metrics = Object.entries(METRICS).map(([name, { type, labels, over, help }]: [string, Metric]) => [
    code(name),
    type,
    labels.map(code).join(", "),
    OVER[over],
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
    'The column "over instances" says how the pages of several processes on one database become one number. A "max" is read from what they share, so ' +
      'each of them says the same: take the largest and never the sum. A "sum" is of one process: add them up; a counter begins at zero with each ' +
      'start. An "each" is of one process or machine, such as its clock or disk, and has a meaning only there. Prometheus gives each series the label ' +
      "`instance` of the target that it read, and `bizauth_instance_info` says which row of `bizauth instances` that is.",
    table(["metric", "type", "labels", "over instances", "what it says"], metrics),
    "## Labels",
    "A label has one of these values. Anything else is printed as `OTHER`, so no label names a customer, a payer, an agent or an address.",
    table(["label", "what it is", "values"], labels),
  )
}
