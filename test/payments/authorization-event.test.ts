import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { toHex } from "viem"
import { firstBlockSince } from "../../src/payments/authorization-event.ts"
import type { Block, EvmNode } from "../../src/payments/rpc.ts"

/** A node that only knows block times. */
function chainOf(times: number[]) {
  let requests = 0
  const block = async (which: unknown): Promise<Block> => {
    requests++
    const timestamp = times[Number(which)]
    if (timestamp === undefined) throw new Error("asked for a block that does not exist")
    return { number: BigInt(which as bigint), hash: toHex(Number(which), { size: 32 }), timestamp, baseFeePerGas: 1n }
  }
  return { node: { block } as unknown as EvmNode, questions: () => requests }
}

const heads = (times: number[]): Block => ({
  number: BigInt(times.length - 1),
  hash: "0x",
  timestamp: times[times.length - 1] ?? 0,
  baseFeePerGas: 1n,
})

describe("firstBlockSince", () => {
  test("finds the first block at or after a time, for any chain and any time", async () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 400 })
    await fc.assert(
      fc.asyncProperty(gaps, fc.integer({ min: -5, max: 3_000 }), async (steps, seconds) => {
        let time = 0
        const times = steps.map((step) => {
          time += step
          return time
        })
        const expected = times.findIndex((at) => at >= seconds)
        const found = await firstBlockSince(chainOf(times).node, seconds, heads(times))
        expect(found).toBe(BigInt(expected === -1 ? times.length : expected))
      }),
      { numRuns: 200 },
    )
  })

  test("needs about twenty queries for five minutes of two-second blocks, at any height", async () => {
    const times = Array.from({ length: 100_000 }, (_, i) => i * 2)
    const { node, questions } = chainOf(times)
    expect(await firstBlockSince(node, 199_998 - 330, heads(times))).toBe(99_834n)
    expect(questions()).toBeLessThan(20)
  })
})
