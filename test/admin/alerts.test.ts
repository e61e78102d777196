/** The example alerts and the dashboard name only metrics, labels and values of the table, and link to sections that exist. */
import { describe, expect, test } from "bun:test"
import { LABELS, type LabelName, READINESS_CODES } from "../../src/admin/label-values.ts"
import { METRICS, type Metric } from "../../src/admin/metric-table.ts"
import { sourceText } from "../fixtures/imports.ts"
import { type Matcher, readExpression } from "../fixtures/promql.ts"

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}

interface Target {
  readonly refId: string
  readonly expr: string
  readonly legendFormat: string
}

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly targets?: readonly Target[]
}

const rules = Bun.YAML.parse(sourceText("docs/alerts.yml")) as { groups: readonly { rules: readonly Alert[] }[] }
const alerts = rules.groups.flatMap(({ rules: group }) => group)
const dashboard = JSON.parse(sourceText("docs/grafana.json")) as {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] }
}
const targets = dashboard.panels.flatMap(({ title, targets: all = [] }) => all.map((target) => ({ title, ...target })))

/** Prometheus adds these to every series. */
const TARGET_LABELS = ["job", "instance"]
const TABLE: Readonly<Record<string, Metric>> = METRICS

/** The row of a metric, also by the name of a series of a histogram. `up` is Prometheus' own. */
function rowOf(name: string): Metric | null {
  const plain = TABLE[name]
  if (plain) return plain.type === "histogram" ? null : plain
  const [, base = "", end = ""] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? []
  return end !== "" && TABLE[base]?.type === "histogram" ? TABLE[base] : null
}

function labelsOf(name: string): readonly string[] {
  if (name === "up") return TARGET_LABELS
  const bucket = name.endsWith("_bucket") ? ["le"] : []
  return [...TARGET_LABELS, ...bucket, ...(rowOf(name)?.labels ?? [])]
}

/** Why a matcher can never match, or null. */
function faultOf(metric: string, { label, operator, value }: Matcher): string | null {
  if (!labelsOf(metric).includes(label)) return `${metric} has no label ${label}`
  if (TARGET_LABELS.includes(label)) return null
  const { values } = LABELS[label as LabelName]
  const unknown = (operator.includes("~") ? value.split("|") : [value]).filter((one) => !values?.includes(one as never))
  return unknown.length === 0 ? null : `${label} is never ${unknown.join(", ")}`
}

function faultsOf(expr: string): readonly string[] {
  const { selectors, grouped } = readExpression(expr)
  const known = new Set(selectors.flatMap(({ metric }) => labelsOf(metric)))
  return [
    ...(selectors.length === 0 ? ["names no metric"] : []),
    ...selectors.flatMap(({ metric }) => (metric === "up" || rowOf(metric) ? [] : [`no metric ${metric}`])),
    ...selectors.flatMap(({ metric, matchers }) => matchers.map((one) => faultOf(metric, one))),
    ...grouped.map((label) => (known.has(label) ? null : `groups by ${label}`)),
  ].filter((fault) => fault !== null)
}

/** Labels that the series of an expression have: those it groups by, or those of its metrics without the ones it drops. */
function resultLabels(expr: string): readonly string[] {
  const { selectors } = readExpression(expr)
  const all = selectors.flatMap(({ metric }) => labelsOf(metric))
  const [, by] = /^[^"]*?\bby \(([^)]*)\)/.exec(expr) ?? []
  if (by !== undefined) return by.split(", ")
  const without = [...expr.matchAll(/\bwithout \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(", "))
  return /^(max|min|sum)\(/.test(expr) ? [] : all.filter((label) => !without.includes(label))
}

const templateLabels = (text: string) => [...text.matchAll(/\$labels\.([a-z_]+)/g)].map(([, label = ""]) => label)

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-")
const sections = [...sourceText("docs/runbook.md").matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading))

describe("each alert", () => {
  test.each(alerts.map((alert) => [alert.alert, alert] as const))(
    "%s names the table's metrics, labels and values",
    (_, alert) => {
      expect(faultsOf(alert.expr)).toEqual([])
      const known = resultLabels(alert.expr)
      const named = [...templateLabels(alert.annotations.summary), ...templateLabels(alert.annotations.runbook_url)]
      expect(named.filter((label) => !known.includes(label))).toEqual([])
      expect(["page", "warning", "info"]).toContain(alert.labels.severity)
      expect(alert.for ?? "1m").toMatch(/^\d+[mh]$/)
    },
  )

  test.each(alerts.map(({ alert, annotations }) => [alert, annotations.runbook_url] as const))(
    "%s links to a section of the runbook",
    (_, url) => {
      const links = url.includes("$labels.reason")
        ? READINESS_CODES.map((code) => url.replace("{{ $labels.reason | toLower }}", code.toLowerCase()))
        : [url]
      for (const link of links) {
        const [page, anchor = ""] = link.split("#")
        expect(page).toBe("docs/runbook.md")
        expect(sections).toContain(anchor)
      }
    },
  )

  test("has its own name", () => {
    const names = alerts.map(({ alert }) => alert)
    expect(names.length).toBeGreaterThan(15)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^Bizauth[A-Z]\w+$/.test(name))).toEqual([])
  })
})

test("each section of the runbook that is no code of readiness has an alert", () => {
  const codes = READINESS_CODES.map((code) => code.toLowerCase())
  const linked = alerts.map(({ annotations }) => annotations.runbook_url.split("#")[1] ?? "")
  expect(sections.filter((section) => !codes.includes(section) && !linked.includes(section))).toEqual([])
})

describe("the dashboard", () => {
  test.each(targets.map((target) => [`${target.title} ${target.refId}`, target] as const))(
    "%s names the table's metrics, labels and values",
    (_, { expr, legendFormat }) => {
      expect(faultsOf(expr)).toEqual([])
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label)
      expect(shown.filter((label) => !resultLabels(expr).includes(label))).toEqual([])
    },
  )

  test("shows every metric of the table", () => {
    const shown = targets.flatMap(({ expr }) => readExpression(expr).selectors.map(({ metric }) => metric))
    const names = new Set(shown.map((name) => (name in TABLE ? name : name.replace(/_(bucket|sum|count)$/, ""))))
    expect(Object.keys(METRICS).filter((name) => !names.has(name))).toEqual([])
  })

  test("asks for its data source and its job, and panels have their own ids and places", () => {
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(["datasource", "job"])
    expect(dashboard.templating.list[1]?.query).toBe("label_values(bizauth_build_info, job)")
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(dashboard.panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
  })
})

describe("the reader of expressions (test of the tests above)", () => {
  test.each([
    ["bizauth_ready", []],
    ['rate(bizauth_log_lines_total{level="error"}[5m]) > 0', []],
    ["bizauth_redy", ["no metric bizauth_redy"]],
    ["bizauth_http_request_duration_seconds > 1", ["no metric bizauth_http_request_duration_seconds"]],
    ["bizauth_ready_count", ["no metric bizauth_ready_count"]],
    ['bizauth_ready{reason="DISK_LOW"}', ["bizauth_ready has no label reason"]],
    ['bizauth_not_ready{reason="DISK_FULL"}', ["reason is never DISK_FULL"]],
    ['bizauth_source_health{health=~"STALE|OLD"}', ["health is never OLD"]],
    ["sum by (product, payer) (bizauth_decisions_total)", ["groups by payer"]],
    ["time() > 1", ["names no metric"]],
  ] as const)("%s", (expr, faults) => {
    expect(faultsOf(expr)).toEqual([...faults])
  })

  test.each(["sum(bizauth_ready", "frobnicate(bizauth_ready)", "bizauth_ready{reason=}", "rate(bizauth_ready[5m)]"])(
    "rejects %s",
    (expr) => {
      expect(() => readExpression(expr)).toThrow()
    },
  )
})
