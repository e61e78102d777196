import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { escapedHelp, escapedLabel, exposition, numberText, sample } from "../../src/admin/exposition.ts"
import { allowedValues, LABELS, type LabelName, OTHER } from "../../src/admin/label-values.ts"
import { METRICS } from "../../src/admin/metric-table.ts"
import { Histogram } from "../../src/http/process-counts.ts"
import { readMetrics } from "../fixtures/metrics.ts"

const allowed = allowedValues(["get_liveness", "none"], "me")
const PRODUCT = "us.company.check.v1"

describe("the text format", () => {
  test("prints help, type and series of each metric that has samples, in the order of the table", () => {
    const samples = [
      sample("bizauth_payments_owed", {}, 2),
      sample("bizauth_settlements_total", { state: "SETTLED" }, 7),
      sample("bizauth_ready", {}, 1),
    ]
    expect(exposition(samples, allowed)).toBe(`# HELP bizauth_ready ${METRICS.bizauth_ready.help}
# TYPE bizauth_ready gauge
bizauth_ready 1
# HELP bizauth_settlements_total ${METRICS.bizauth_settlements_total.help}
# TYPE bizauth_settlements_total counter
bizauth_settlements_total{state="SETTLED"} 7
# HELP bizauth_payments_owed ${METRICS.bizauth_payments_owed.help}
# TYPE bizauth_payments_owed gauge
bizauth_payments_owed 2
`)
  })

  test("a histogram has cumulative buckets, a sum and a count, in seconds", () => {
    const histogram = new Histogram([1, 5, 25])
    for (const value of [0.5, 1, 5, 6, 1000]) histogram.observe(value)
    const labels = { operation: "get_liveness", status_class: "2xx" }
    const text = exposition(
      [sample("bizauth_http_request_duration_seconds", labels, { histogram, perSecond: 1000 })],
      allowed,
    )
    const name = "bizauth_http_request_duration_seconds"
    const page = readMetrics(text)
    const values = ["0.001", "0.005", "0.025", "+Inf"].map((le) => page.value(`${name}_bucket`, { ...labels, le }))
    expect(values).toEqual([2, 3, 4, 5])
    expect([page.value(`${name}_sum`, labels), page.value(`${name}_count`, labels)]).toEqual([1.0125, 5])
  })

  test.each([
    [0, "0"],
    [-1.5, "-1.5"],
    [9_007_199_254_740_991, "9007199254740991"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [Number.NaN, "NaN"],
  ])("the number %p is %s", (value, text) => {
    expect(numberText(value)).toBe(text)
  })

  test("backslash, quote and line feed are escaped, so that any value is read back", () => {
    expect(escapedLabel('a\\b"c\nd')).toBe('a\\\\b\\"c\\nd')
    expect(escapedHelp('a\\b"c\nd')).toBe('a\\\\b"c\\nd')
    fc.assert(
      fc.property(fc.string(), (value) => {
        const line = `# HELP m h\n# TYPE m gauge\nm{l="${escapedLabel(value)}"} 1\n`
        expect(readMetrics(line).series[0]?.labels).toEqual({ l: value })
      }),
    )
  })
})

describe("a label", () => {
  test("whose value is in no table is printed as OTHER, and its values are added up", () => {
    const text = exposition(
      [
        sample("bizauth_decisions_total", { product: PRODUCT, decision: "APPROVE" }, 1),
        sample(
          "bizauth_decisions_total",
          { product: PRODUCT, decision: "0x1111111111111111111111111111111111111111" },
          2,
        ),
        sample("bizauth_decisions_total", { product: PRODUCT, decision: 'org:example"}\nm 1' }, 3),
      ],
      allowed,
    )
    const page = readMetrics(text)
    expect(page.value("bizauth_decisions_total", { product: PRODUCT, decision: "APPROVE" })).toBe(1)
    expect(page.value("bizauth_decisions_total", { product: PRODUCT, decision: OTHER })).toBe(5)
    expect(page.series).toHaveLength(2)
  })

  test("has only values of its table, for any text in any label of any metric", () => {
    const names = Object.keys(METRICS) as (keyof typeof METRICS)[]
    const texts = fc.oneof(
      fc.string(),
      ...Object.values(LABELS).map(({ values }) => fc.constantFrom(...(values ?? [""]))),
    )
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(texts, { minLength: 3, maxLength: 3 }), (metric, values) => {
        const labels = Object.fromEntries(METRICS[metric].labels.map((label, at) => [label, values[at] ?? ""]))
        const value = METRICS[metric].type === "histogram" ? { histogram: new Histogram([1]), perSecond: 1 } : 1
        for (const series of readMetrics(exposition([{ metric, labels, value }], allowed)).series) {
          for (const [label, value] of Object.entries(series.labels)) {
            if (label === "le") continue
            expect(value === OTHER || allowed[label as LabelName].has(value)).toBe(true)
          }
        }
      }),
    )
  })
})
