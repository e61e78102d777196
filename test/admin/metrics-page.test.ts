import { describe, expect, test } from "bun:test"
import { sample } from "../../src/admin/exposition.ts"
import { allowedValues, PARTS, type Part } from "../../src/admin/label-values.ts"
import { type Collect, MetricsPage } from "../../src/admin/metrics-page.ts"
import { readMetrics } from "../fixtures/metrics.ts"
import { testShell } from "../fixtures/shell.ts"

function pageOf(given: Partial<Record<Part, Collect>>) {
  const { shell, logged } = testShell()
  const collect = Object.fromEntries(PARTS.map((part) => [part, given[part] ?? (() => [])])) as Record<Part, Collect>
  return { page: new MetricsPage({ log: shell.log, allowed: () => allowedValues([], "me"), collect }), logged }
}

describe("a part that cannot be read", () => {
  test("is named and left out, and the others are printed", async () => {
    let isBroken = true
    const { page, logged } = pageOf({
      sales: () => {
        if (isBroken) throw new Error("database is locked")
        return [sample("bizauth_payments_owed", {}, 3)]
      },
      files: async () => [sample("bizauth_disk_free_bytes", {}, 5)],
    })
    for (let read = 0; read < 3; read++) {
      const metrics = readMetrics(await page.print())
      expect(metrics.names).toEqual(["bizauth_disk_free_bytes", "bizauth_metrics_part_failed"])
      expect(metrics.value("bizauth_metrics_part_failed", { part: "sales" })).toBe(1)
      expect(metrics.value("bizauth_metrics_part_failed", { part: "files" })).toBe(0)
    }
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatchObject({ level: "error", event: "metrics_part_failed", part: "sales" })
    isBroken = false
    expect(readMetrics(await page.print()).value("bizauth_payments_owed")).toBe(3)
    isBroken = true
    await page.print()
    expect(logged).toHaveLength(2)
  })
})

test("readers at the same time share one reading, and the next reader gets a new one", async () => {
  let reads = 0
  const { page } = pageOf({
    sales: async () => {
      reads++
      await Bun.sleep(1)
      return [sample("bizauth_payments_owed", {}, reads)]
    },
  })
  const together = await Promise.all(Array.from({ length: 50 }, () => page.print()))
  expect([reads, new Set(together).size]).toEqual([1, 1])
  expect(readMetrics(await page.print()).value("bizauth_payments_owed")).toBe(2)
})
