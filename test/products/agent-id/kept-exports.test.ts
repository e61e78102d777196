import { expect, test } from "bun:test"
import { KEPT_EXPORT_BYTES_MAX, KeptExports } from "../../../src/products/agent-id/kept-exports.ts"

test("a bundle is found only by the exact inputs it was made from", () => {
  const kept = new KeptExports()
  const bytes = new Uint8Array(10)
  kept.keep("a", "head 1", bytes)
  expect(kept.find("a", "head 1")).toBe(bytes)
  expect(kept.find("a", "head 2")).toBeNull()
  expect(kept.find("b", "head 1")).toBeNull()
})

test("the oldest bundles are dropped when the total size is over the limit, and a new one replaces an agent's old one", () => {
  const kept = new KeptExports()
  const half = new Uint8Array(KEPT_EXPORT_BYTES_MAX / 2)
  kept.keep("a", "1", half)
  kept.keep("a", "2", half)
  kept.keep("b", "1", half)
  expect([kept.find("a", "1"), kept.find("a", "2"), kept.find("b", "1")]).toEqual([null, half, half])
  kept.keep("c", "1", new Uint8Array(1))
  expect([kept.find("a", "2"), kept.find("b", "1")]).toEqual([null, half])
})
