/** Progress without a terminal: plain lines, or log lines, and never a control code. */
import { describe, expect, test } from "bun:test"
import { WRITING, watching } from "./watched-progress.ts"

describe("without a terminal", () => {
  test("a plain line without control codes appears every ten seconds at most, and none for a short work", () => {
    const { progress, block, written, isTicking } = watching("PLAIN")
    progress.step({ what: "screening", unit: "bytes", total: 60_000 })
    for (let second = 1; second <= 25; second++) {
      block(1000)
      progress.done(1000 * second, { also: `${second} names` })
    }
    expect(written()).toEqual([
      "progress  screening  16 %  10.0 of 60.0 kB  10 names  1.0 kB/s  about 50 s left\n",
      "progress  screening  33 %  20.0 of 60.0 kB  20 names  1.0 kB/s  about 40 s left\n",
    ])
    progress.end()
    expect([written(), isTicking()]).toEqual([[], false])
  })

  test("no thread draws a step that may block", () => {
    const fail = () => {
      throw new Error("a thread was asked to draw")
    }
    const { progress } = watching("PLAIN", 120, { begin: fail, stop: fail, end: () => {} })
    progress.step({ what: "copying the database", size: 500_000_000 })
    progress.end()
  })

  test("a step that may block for long is announced at once; further ones keep the ten seconds", () => {
    const { progress, block, written } = watching("PLAIN")
    progress.step({ what: "asking the publisher" })
    progress.step({ what: "copying the database", number: { at: 1, of: 7 }, size: 500_000_000 })
    expect(written()).toEqual(["progress  step 1 of 7: copying the database (500.0 MB)\n"])
    block(9000)
    progress.step({ what: "checking every page of the copy", number: { at: 2, of: 7 }, size: 500_000_000 })
    expect(written()).toEqual([])
    block(2000)
    progress.step({ what: "computing the digests", number: { at: 4, of: 7 }, unit: "bytes", total: 5000 })
    expect(written()).toEqual(["progress  step 4 of 7: computing the digests  0 %  0.0 of 5.0 kB\n"])
  })

  test("with JSON it is a log line with the same facts", () => {
    const { progress, block, written, logged } = watching("JSON")
    progress.step(WRITING)
    block(10_000)
    progress.done(128_000_000)
    block(10_000)
    progress.step({ what: "putting the backup in place", number: { at: 6, of: 6 }, size: 0 })
    expect(written()).toEqual([])
    expect(logged).toEqual([
      {
        work: "writing the backup",
        ...{ step: 4, steps: 6, unit: "bytes", done: 128_000_000, total: 512_000_000, percent: 25 },
        ...{ per_second: 12_800_000, seconds_left: 30 },
      },
      { work: "putting the backup in place", step: 6, steps: 6 },
    ])
  })
})
