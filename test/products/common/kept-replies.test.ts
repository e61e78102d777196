import { expect, test } from "bun:test"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import type { StoredAnswer } from "../../../src/delivery/sale.ts"
import { KEPT_REPLY_BYTES_MAX, KeptReplies } from "../../../src/products/common/kept-replies.ts"

const answer = (limitations: readonly string[]) => canonicalize({ limitations, replayed: false, result: {} })
const stored = (body = answer([]), capsuleJson = "{}"): StoredAnswer => ({ body, capsuleJson })

test("the reply of an answer is made once for equal texts", () => {
  const kept = new KeptReplies()
  const reply = kept.of("exe_a", stored())
  expect(reply).toEqual({
    status: 200,
    body: canonicalize({ limitations: [], replayed: true, result: {} }),
    headers: { "cache-control": "private, no-store", "svc-proof-capsule": "e30" },
  })
  expect(kept.of("exe_a", stored())).toBe(reply)
})

test("another body, another capsule and another id each have a reply of their own", () => {
  const kept = new KeptReplies()
  const first = kept.of("exe_a", stored())
  const changed = kept.of("exe_a", stored(answer(["LIMITED"])))
  expect(changed.body).toContain("LIMITED")
  expect(kept.of("exe_a", stored(answer(["LIMITED"]), "[]")).headers).toMatchObject({ "svc-proof-capsule": "W10" })
  expect(kept.of("exe_b", stored()).body).toBe(first.body as string)
  expect(kept.of("exe_a", stored()).body).toBe(first.body as string)
})

test("the oldest replies are forgotten when all together are over the limit", () => {
  const kept = new KeptReplies()
  // Stored text and reply, with at most two bytes for each character, are a little less than half of the limit.
  const large = stored(answer(["x".repeat(KEPT_REPLY_BYTES_MAX / 8 - 1000)]))
  const a = kept.of("exe_a", large)
  const b = kept.of("exe_b", large)
  expect(kept.of("exe_a", large)).toBe(a)
  kept.of("exe_c", large)
  expect(kept.of("exe_b", large)).toBe(b)
  expect(kept.of("exe_a", large)).not.toBe(a)
})
