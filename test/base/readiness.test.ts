import { describe, expect, test } from "bun:test"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { type Check, notReadyError, Readiness } from "../../src/base/readiness.ts"

function operator(...checks: Check[]) {
  const time = { at: 1_000, wall: Date.UTC(2026, 0, 1) }
  const machine = { ...realMachine, now: () => time.wall, monotonic: () => time.at }
  const logged: Record<string, unknown>[] = []
  const log = createLog("debug", (line) => logged.push(JSON.parse(line) as Record<string, unknown>), machine.now)
  const due: (() => void)[] = []
  const after = (_: number, call: () => void) => {
    due.push(call)
    return () => {}
  }
  const readiness = new Readiness({ machine: { ...machine, after }, log })
  readiness.add(...checks)
  /** Time limits of the checks that run end at once. */
  const expire = () => {
    for (const call of due.splice(0)) call()
  }
  return { readiness, time, logged, expire, codes: () => readiness.reasons().map(({ code }) => code) }
}

const reason = (code: string) => ({ code, detail: `It is ${code}.` })
const check = (name: string, ...codes: string[]): Check => ({ name, reasons: () => codes.map(reason) })

describe("the list of readiness reasons", () => {
  test("contains the initial reasons before the first check", async () => {
    const log = createLog("error", () => {}, realMachine.now)
    const readiness = new Readiness({ machine: realMachine, log, first: reason("OPENING") })
    expect(readiness.reasons()).toEqual([reason("OPENING")])
    await readiness.run()
    expect(readiness.reasons()).toEqual([])
  })

  test("is stale before the first check, and then contains the results of the checks, in their order and once each", async () => {
    const { readiness, codes } = operator(check("one"), check("two", "B", "A"), check("three", "A", "C"))
    expect(codes()).toEqual(["READINESS_STALE"])
    await readiness.run()
    expect(codes()).toEqual(["B", "A", "C"])
  })

  test.each([
    ["throws", () => Promise.reject(new Error("disk on fire"))],
    [
      "throws at once",
      () => {
        throw new TypeError("disk on fire")
      },
    ],
  ])("contains a check that %s, keeps the others, and is logged once", async (_, reasons) => {
    const { readiness, codes, logged } = operator({ name: "free disk", reasons }, check("other", "OTHER"))
    await readiness.run()
    expect(codes()).toEqual(["CHECK_FAILED_FREE_DISK", "OTHER"])
    await readiness.run()
    const failures = logged.filter(({ event }) => event === "readiness_check_failed")
    expect(failures.map((line) => [line["check"], line["message"]])).toEqual([["free disk", "disk on fire"]])
  })

  test("contains a check that does not end, does not start it again meanwhile, and drops it when it responds", async () => {
    let calls = 0
    let answer = () => {}
    const slow: Check = {
      name: "node",
      reasons: () => {
        calls++
        return calls > 1 ? [] : new Promise((resolve) => (answer = () => resolve([])))
      },
    }
    const { readiness, codes, expire } = operator(slow, check("other", "OTHER"))
    const first = readiness.run()
    await Promise.resolve()
    expire()
    await first
    expect(codes()).toEqual(["CHECK_FAILED_NODE", "OTHER"])
    await readiness.run()
    expect([codes(), calls]).toEqual([["CHECK_FAILED_NODE", "OTHER"], 1])
    answer()
    await Bun.sleep(0)
    await readiness.run()
    expect([codes(), calls]).toEqual([["OTHER"], 2])
  })

  test("is stale fifteen seconds after its check began, and current again with the next check", async () => {
    const { readiness, time, codes } = operator(check("one"))
    await readiness.run()
    time.at += 15_000
    expect(codes()).toEqual([])
    time.at += 1
    expect(codes()).toEqual(["READINESS_STALE"])
    expect(await readiness.currentReasons()).toEqual([])
    expect(codes()).toEqual([])
  })

  test("counts its age from the start of a check, also when the check takes long", async () => {
    let answer = () => {}
    const { readiness, time, codes } = operator({
      name: "one",
      reasons: () => new Promise((resolve) => (answer = () => resolve([]))),
    })
    const running = readiness.run()
    await Promise.resolve()
    time.at += 15_001
    answer()
    await running
    expect(codes()).toEqual(["READINESS_STALE"])
  })

  test.each([
    ["set back an hour", -3_600_000],
    ["set ahead a day", 86_400_000],
  ])("ignores a wall clock that is %s", async (_, jump) => {
    const { readiness, time, codes } = operator(check("one"))
    await readiness.run()
    time.wall += jump
    expect(codes()).toEqual([])
    time.at += 15_001
    expect(codes()).toEqual(["READINESS_STALE"])
    time.wall -= jump
    expect(codes()).toEqual(["READINESS_STALE"])
    await readiness.run()
    expect(codes()).toEqual([])
  })

  test("shares one check among simultaneous calls, and starts another for a later call", async () => {
    let calls = 0
    const counted: Check = {
      name: "one",
      reasons: async () => {
        calls++
        await Bun.sleep(1)
        return []
      },
    }
    const { readiness } = operator(counted)
    await Promise.all([readiness.run(), readiness.run(), readiness.currentReasons()])
    expect(calls).toBe(1)
    await Promise.all([readiness.run(), readiness.runAgain()])
    expect(calls).toBe(3)
  })

  test("logs each change and nothing else", async () => {
    const present: string[] = []
    const { readiness, logged } = operator({ name: "one", reasons: () => present.map(reason) })
    const runWith = async (...codes: string[]) => {
      present.splice(0, present.length, ...codes)
      await readiness.run()
    }
    for (const codes of [[], ["A"], ["A"], ["A", "B"], []]) await runWith(...codes)
    expect(logged.map((line) => line["not_ready"])).toEqual(["A", "A B", null])
  })
})

describe("the refusal to sell", () => {
  test("has the code of the first reason and names all of them", () => {
    const refusal = notReadyError([reason("DISK_LOW"), reason("CLOCK_OFF")])
    expect([refusal?.code, refusal?.detail]).toEqual(["DISK_LOW", "It is DISK_LOW."])
    expect(refusal?.context.reasonCodes).toEqual(["DISK_LOW", "CLOCK_OFF"])
    expect(refusal?.refusal.status).toBe(503)
  })

  test("is NOT_READY for a reason without a code of its own, and there is no refusal without a reason", () => {
    const refusal = notReadyError([reason("CHECK_FAILED_DISK")])
    expect([refusal?.code, refusal?.context.reasonCodes]).toEqual(["NOT_READY", ["CHECK_FAILED_DISK"]])
    expect(notReadyError([])).toBeNull()
  })
})
