import { describe, expect, test } from "bun:test"
import { comparedRow, type Figures } from "../../../scripts/bench/compare.ts"
import { inTurns } from "../../../scripts/bench/in-turns.ts"

const figures = (changes: Partial<Figures>): Figures => ({
  ...{ perSecond: 100, main: 10, processor: 20, p99: 5, ofRaw: null },
  ...changes,
})

describe("two builds", () => {
  test("are compared round by round: a slow phase that both share changes no ratio", () => {
    const rounds = [
      { base: figures({ main: 10 }), own: figures({ main: 7 }) },
      { base: figures({ main: 40 }), own: figures({ main: 28 }) },
      { base: figures({ main: 20 }), own: figures({ main: 14 }) },
    ]
    const { ratios, figures: medians } = comparedRow("a row", rounds)
    expect(ratios.main).toBeCloseTo(0.7)
    expect([medians.base.main, medians.own.main]).toEqual([20, 14])
  })

  test("have no ratio where one figure is missing", () => {
    const { ratios } = comparedRow("a row", [{ base: figures({ main: null }), own: figures({}) }])
    expect([ratios.main, ratios.ofRaw, ratios.p99]).toEqual([null, null, 1])
  })

  test("take turns in being the first", async () => {
    const order: string[] = []
    const one = (name: string) => async () => {
      order.push(name)
      return name
    }
    const results = [await inTurns(0, one("base"), one("own")), await inTurns(1, one("base"), one("own"))]
    expect(order).toEqual(["base", "own", "own", "base"])
    expect(results).toEqual([
      ["base", "own"],
      ["base", "own"],
    ])
  })
})
