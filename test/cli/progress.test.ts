/** The progress line on a terminal, exactly: every write, at a clock that the test sets. */
import { describe, expect, test } from "bun:test"
import { titled } from "../../src/base/long-work.ts"
import type { BlockedLine } from "../../src/cli/blocked-line.ts"
import { CLEAR, WRITING, watching } from "./watched-progress.ts"

describe("on a terminal", () => {
  test("the line shows done, total and percent at once, and rate and time left after two seconds", () => {
    const { progress, block, written } = watching("LINE")
    progress.step(WRITING)
    block(100)
    progress.done(10_000_000)
    expect(written()).toEqual([])
    block(900)
    progress.done(100_000_000)
    expect(written()).toEqual([`${CLEAR}step 4 of 6: writing the backup  19 %  100.0 of 512.0 MB`])
    block(1000)
    progress.done(200_000_000)
    expect(written()).toEqual([
      `${CLEAR}step 4 of 6: writing the backup  39 %  200.0 of 512.0 MB  100.0 MB/s  about 4 s left in this step`,
    ])
  })

  test("the line is rewritten at most four times a second, however often the work reports", () => {
    const { progress, block, written } = watching("LINE")
    progress.step(WRITING)
    for (let count = 1; count <= 1000; count++) {
      block(1)
      progress.done(count)
    }
    expect(written()).toHaveLength(4)
  })

  test("the last step of a work, and a work of one step, speak of the time left without naming the step", () => {
    const { progress, block, written } = watching("LINE")
    progress.step({ what: "replaying", unit: "files", total: 1200 })
    block(3000)
    progress.done(12)
    expect(written()).toEqual([`${CLEAR}replaying  1 %  12 of 1,200 files  4.0 files/s  about 5 min left`])
    progress.step({ what: "comparing", number: { at: 3, of: 3 }, unit: "agents", total: 40_000 })
    block(2000)
    progress.done(20_000)
    expect(written().at(-1)).toBe(
      `${CLEAR}step 3 of 3: comparing  50 %  20,000 of 40,000 agents  10,000 agents/s  about 2 s left`,
    )
  })

  test.each([
    [1, "about 1 s left"],
    [9, "about 9 s left"],
    [11, "about 15 s left"],
    [40, "about 40 s left"],
    [91, "about 2 min left"],
    [3600, "about 60 min left"],
    [9000, "about 2 h 30 min left"],
  ])("%d seconds are %p", (seconds, words) => {
    const { progress, block, written } = watching("LINE")
    progress.step({ what: "reading", unit: "leaves", total: 10 * (seconds + 4) })
    block(4000)
    progress.done(40)
    expect(written()[0]).toEndWith(`  10 leaves/s  ${words}`)
  })

  test("a slow work has a rate in minutes, never one of zero", () => {
    const { progress, block, written } = watching("LINE")
    progress.step({ what: "replaying", unit: "files", total: 100 })
    block(60_000)
    progress.done(2)
    expect(written()).toEqual([`${CLEAR}replaying  2 %  2 of 100 files  2.0 files/min  about 49 min left`])
  })

  test("without a total there is neither a percent nor an estimate, only what is done, the rate and the time so far", () => {
    const { progress, block, written } = watching("LINE")
    progress.step({ what: "downloading list.csv", unit: "bytes" })
    block(3000)
    progress.done(4_500_000)
    expect(written()).toEqual([`${CLEAR}downloading list.csv  4.5 MB  1.5 MB/s  3 s`])
    block(1000)
    progress.done(6_000_000, { total: 12_000_000 })
    expect(written()).toEqual([`${CLEAR}downloading list.csv  50 %  6.0 of 12.0 MB  1.5 MB/s  about 4 s left`])
  })

  test("a count above the announced total shows that the total was wrong: the percent disappears", () => {
    const { progress, block, written } = watching("LINE")
    progress.step({ what: "replaying the log", unit: "leaves", total: 100 })
    block(1000)
    progress.done(100)
    block(1000)
    progress.done(101)
    expect(written()).toEqual([
      `${CLEAR}replaying the log  100 %  100 of 100 leaves`,
      `${CLEAR}replaying the log  101 leaves  51 leaves/s  2 s`,
    ])
  })

  test("a work that becomes slower is estimated from its last seconds", () => {
    const { progress, block, written } = watching("LINE")
    progress.step({ what: "reading", unit: "leaves", total: 100_000 })
    let count = 0
    for (let second = 0; second < 10; second++) {
      block(1000)
      count += 1000
      progress.done(count)
    }
    expect(written().at(-1)).toEndWith("  1,000 leaves/s  about 90 s left")
    for (let second = 0; second < 20; second++) {
      block(1000)
      count += 100
      progress.done(count)
    }
    expect(written().at(-1)).toEndWith("12,000 of 100,000 leaves  100 leaves/s  about 15 min left")
  })

  test("a work without anything new says so and makes no promise, until it goes on", () => {
    const { progress, pass, written } = watching("LINE")
    progress.step({ what: "downloading", unit: "bytes", total: 10_000_000 })
    pass(3000)
    progress.done(3_000_000)
    pass(4750)
    expect(written().at(-1)).toEndWith("  387.1 kB/s  about 20 s left")
    pass(250)
    expect(written().at(-1)).toBe(`${CLEAR}downloading  30 %  3.0 of 10.0 MB  nothing new for 5 s`)
    pass(120_000)
    expect(written().at(-1)).toEndWith("nothing new for 2 min")
    progress.done(9_000_000)
    pass(250)
    expect(written().at(-1)).toContain("  90 %  9.0 of 10.0 MB  ")
    expect(written()).toEqual([])
  })

  test("a step that may block the process is drawn at once with its size; a small one is not", () => {
    const { progress, pass, written } = watching("LINE")
    progress.step({ what: "copying the database", number: { at: 1, of: 7 }, size: 2_100_000_000 })
    expect(written()).toEqual([`${CLEAR}step 1 of 7: copying the database (2.10 GB)`])
    pass(2500)
    expect(written().at(-1)).toBe(`${CLEAR}step 1 of 7: copying the database (2.10 GB)  2 s`)
    progress.end()
    written()
    progress.step({ what: "copying the database", size: 1000 })
    expect(written()).toEqual([])
    progress.step({ what: "asking the publisher" })
    expect(written()).toEqual([`${CLEAR}asking the publisher`])
  })

  test("a large step that may block is handed to the other thread, and taken back before anything else is written", () => {
    const calls: string[] = []
    const blocked: BlockedLine = {
      begin: ({ what }) => void calls.push(`begin ${what}`),
      stop: () => void calls.push("stop"),
      end: () => void calls.push("end"),
    }
    const { progress, pass, written } = watching("LINE", 120, blocked)
    progress.step({ what: "copying", size: 19_000_000 })
    expect(calls).toEqual([])
    progress.step({ what: "checking", size: 21_000_000 })
    written()
    pass(5000)
    expect([written(), calls]).toEqual([[], ["begin checking"]])
    progress.clear()
    expect([written(), calls]).toEqual([[CLEAR], ["begin checking", "stop"]])
    progress.step({ what: "copying again", size: 21_000_000 })
    progress.step({ what: "writing", unit: "bytes", total: 21_000_000 })
    progress.end()
    expect(calls.slice(2)).toEqual(["begin copying again", "stop", "end"])
  })

  test("a work of less than a quarter of a second draws nothing", () => {
    const { progress, block, written, isTicking } = watching("LINE")
    progress.step({ what: "copying", number: { at: 1, of: 2 }, size: 1000 })
    progress.step({ what: "replaying", number: { at: 2, of: 2 }, unit: "files", total: 2 })
    block(200)
    progress.done(1)
    progress.done(2)
    expect(isTicking()).toBe(true)
    progress.end()
    expect([written(), isTicking()]).toEqual([[], false])
  })

  test("the line is cleared once before other text, stays away while that is written, and comes back with the next report", () => {
    const { progress, pass, written } = watching("LINE")
    progress.step({ what: "fetching", unit: "bytes" })
    pass(500)
    expect(written()).toHaveLength(2)
    progress.clear()
    progress.clear()
    expect(written()).toEqual([CLEAR])
    pass(5000)
    expect(written()).toEqual([])
    progress.done(1_100_000)
    expect(written()).toEqual([`${CLEAR}fetching  1.1 MB  200.0 kB/s  5 s`])
  })

  test("end clears the line for good: no tick and no late report draws it again", () => {
    const { progress, pass, written } = watching("LINE")
    progress.step({ what: "asking" })
    written()
    progress.end()
    progress.end()
    progress.done(5)
    pass(1000)
    expect(written()).toEqual([CLEAR])
  })

  test("a line is never longer than the terminal, so that it stays one line", () => {
    const { progress, written } = watching("LINE", 20)
    progress.step({ what: "looking at lists and registers" })
    expect(written()).toEqual([`${CLEAR}looking at lists a…`])
  })

  test("a title says what each step belongs to", () => {
    const { progress, written } = watching("LINE")
    titled(progress, "US_OFAC_SDN (1 of 5)").step({ what: "asking the publisher" })
    expect(written()).toEqual([`${CLEAR}US_OFAC_SDN (1 of 5): asking the publisher`])
  })
})
