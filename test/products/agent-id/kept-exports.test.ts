import { expect, test } from "bun:test"
import { KEPT_EXPORT_BYTES_MAX, keptExports } from "../../../src/products/agent-id/kept-exports.ts"

test("a bundle is found only by the exact inputs it was made from", () => {
  const kept = keptExports()
  const bytes = new Uint8Array(10)
  kept.set("a", bytes, "head 1")
  expect(kept.get("a", "head 1")).toBe(bytes)
  expect(kept.get("a", "head 2")).toBeUndefined()
  expect(kept.get("b", "head 1")).toBeUndefined()
})

test("the oldest bundles are dropped when the total size is over the limit, and a new one replaces an agent's old one", () => {
  const kept = keptExports()
  const half = new Uint8Array(KEPT_EXPORT_BYTES_MAX / 2)
  kept.set("a", half, "1")
  kept.set("a", half, "2")
  kept.set("b", half, "1")
  expect([kept.get("a", "1"), kept.get("a", "2"), kept.get("b", "1")]).toEqual([undefined, half, half])
  kept.set("c", new Uint8Array(1), "1")
  expect([kept.get("a", "2"), kept.get("b", "1")]).toEqual([undefined, half])
})
