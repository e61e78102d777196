import { describe, expect } from "bun:test"
import { rmSync } from "node:fs"
import { parse } from "csv-parse/sync"
import { CommandError } from "../../../src/base/exit.ts"
import { readInput } from "../../../src/cli/command.ts"
import { command as screen } from "../../../src/cli/screening/screen.ts"
import { BLOCKED_ORGANISATION } from "../../fixtures/sample-parties.ts"
import { openScreeningOperator, type ScreeningOperator } from "../../fixtures/screening-operator.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const HEADER = "id,name,type,country\n"
const COLUMNS = "id,name,state,best_score,basis,source_id,entry_id,matched_name,reason,near_misses\n"

async function screenFile(operator: ScreeningOperator, text: string, ...flags: string[]) {
  const ran = await operator.screen("--file", operator.file(text), ...flags)
  const rows: Record<string, string>[] = flags.includes("--json") ? [] : parse(ran.out, { columns: true })
  return { ...ran, exit: ran.exit as number, rows }
}

describe("screen --file", () => {
  test("writes one row for each input row, in order, with state, score and the matched entry", async () => {
    using operator = await openScreeningOperator()
    const names = [
      `1,${BLOCKED_ORGANISATION},org,RU`,
      "2,Marek Kestrelyov,person,",
      "3,Somebody Quite Unlisted,,",
      "4,華為技術,org,",
      "5,Li Na,person,",
      '6,"PALISADE, NORTHERN ENERGY JSC",org,',
    ]
    const { exit, err, out, rows } = await screenFile(operator, `${HEADER}${names.join("\n")}\n`)
    expect([exit, err]).toEqual([0, ""])
    expect(out).toStartWith(COLUMNS)
    const told = rows.map(({ id, state, best_score, basis, source_id, entry_id, matched_name }) =>
      [id, state, best_score, basis, source_id, entry_id, matched_name].join(" "),
    )
    expect(told).toEqual([
      `1 MATCH 1.0000 EXACT_NAME US_OFAC_SDN 90001 ${BLOCKED_ORGANISATION}`,
      expect.stringMatching(/^2 POSSIBLE_MATCH 0\.\d{4} FUZZY_NAME US_OFAC_SDN 90002 KESTRELOU, Marek$/),
      "3 CLEAR 0.0000    ",
      "4 SCRIPT_UNSUPPORTED 0.0000    ",
      "5 INSUFFICIENT 0.0000    ",
      // A list that only sets a condition: a person must read the condition.
      "6 POSSIBLE_MATCH 1.0000 EXACT_NAME US_OFAC_CONSOLIDATED 91001 PALISADE NORTHERN ENERGY JSC",
    ])
    expect(rows[5]?.["name"]).toBe("PALISADE, NORTHERN ENERGY JSC")
  })

  test("gives the reason of each state and the near misses in the words of the screen", async () => {
    using operator = await openScreeningOperator(["US_OFAC_SDN"])
    const names = [
      `1,${BLOCKED_ORGANISATION},org,RU`,
      "2,華為技術,org,",
      "3,Ann Moss,,",
      "4,Marek Kestrelyev Antonovich Smithson,person,",
    ]
    const { rows } = await screenFile(operator, `${HEADER}${names.join("\n")}\n`, "--threshold", "0.95")
    const screenText = (await operator.screen(BLOCKED_ORGANISATION, "--type", "org", "--country", "RU")).out
    const [hit, unread, clear, near] = rows
    expect(hit?.["reason"]).toStartWith("BLOCK; words vostok=vostok 1.0000")
    for (const part of hit?.["reason"]?.split("; ").slice(-2) ?? [])
      expect(screenText).toContain(part.replace("information ", ""))
    expect(unread?.["reason"]).toBe("name SCRIPT_WITHOUT_TABLE")
    expect(clear?.["reason"]).toBe(
      "US_OFAC_CONSOLIDATED is UNAVAILABLE; US_SAM_EXCLUSIONS is UNAVAILABLE; US_TRADE_CSL is UNAVAILABLE",
    )
    expect(near?.["near_misses"]).toMatch(/^0\.\d{4} US_OFAC_SDN 90002 KESTREL\S+, Marek.* \(\w+\)$/)
    expect(near?.["near_misses"]).toStartWith(near?.["best_score"] ?? "")
  })

  test("--threshold moves the limit; a near miss gives a clear name its score and names no entry", async () => {
    using operator = await openScreeningOperator()
    const text = `${HEADER}1,Marek Kestrelyev Antonovich Smithson,person,\n`
    const at = async (threshold: string) => (await screenFile(operator, text, "--threshold", threshold)).rows[0]
    expect(await at("0.65")).toMatchObject({ state: "POSSIBLE_MATCH", entry_id: "90002" })
    const clear = await at("0.95")
    expect(clear).toMatchObject({ state: "CLEAR", basis: "", source_id: "", entry_id: "", matched_name: "" })
    expect(Number(clear?.["best_score"])).toBeGreaterThan(0.65)
  })

  test("the country of a row supports or contradicts a match", async () => {
    using operator = await openScreeningOperator()
    const text = ["RU", "GB"].map((country) => `${country},${BLOCKED_ORGANISATION},org,${country}\n`).join("")
    const { rows } = await screenFile(operator, HEADER + text)
    expect(rows.map(({ state }) => state)).toEqual(["MATCH", "POSSIBLE_MATCH"])
  })

  test("a cell that a spreadsheet would run as a formula gets an apostrophe, and quotes are doubled", async () => {
    using operator = await openScreeningOperator()
    const { out } = await screenFile(operator, `${HEADER}-7,"=HYPERLINK(""x"",1)",,\n`)
    expect(out.split("\n")[1]).toStartWith(`'-7,"'=HYPERLINK(""x"",1)",CLEAR,`)
  })

  test("--json prints one line per name, each complete and with its version", async () => {
    using operator = await openScreeningOperator()
    const { out, exit } = await screenFile(
      operator,
      `${HEADER}1,${BLOCKED_ORGANISATION},org,\n2,"=A\nB",,US\n`,
      "--json",
    )
    expect(exit).toBe(0)
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatchObject({
      version: 1,
      line: 2,
      id: "1",
      state: "MATCH",
      hits: [{ entry_id: "90001", explanation: { query_left_over: [] } }],
    })
    expect(lines[1]).toMatchObject({ version: 1, line: 3, name: "=A\nB", type: null, country: "US" })
    const { query, ...single } = JSON.parse(
      (await operator.screen(BLOCKED_ORGANISATION, "--type", "org", "--json")).out,
    )
    const { line, id, name, type, country, ...answer } = lines[0]
    expect(answer).toEqual(single)
    expect(query).toEqual({ name: BLOCKED_ORGANISATION, type: "org", identifiers: [], countries: [] })
  })
})

describe("no name is CLEAR unless it was screened", () => {
  test("a malformed line exits with 4 and names line, fault and fix; the names before it are written, none after it", async () => {
    using operator = await openScreeningOperator()
    const { exit, err, rows } = await screenFile(operator, `${HEADER}1,Ann Moss,,\n2,Ann Moss,company,\n3,Ann Moss,,\n`)
    expect(exit).toBe(4)
    expect(rows.map(({ id }) => id)).toEqual(["1"])
    expect(err).toContain('names.csv line 3: type "company" is neither person nor org; leave it empty')
    expect(err).toContain("screened and written: 1 names before it, none after it")
  })

  test("a wrong header exits with 4 before any name", async () => {
    using operator = await openScreeningOperator()
    const { exit, err, rows } = await screenFile(operator, "name,id\nAnn,1\n")
    expect([exit, rows.length]).toEqual([4, 0])
    expect(err).toContain("names.csv line 1: the first line must be id,name,type,country")
  })

  test("an unreadable file exits with 4", async () => {
    using operator = await openScreeningOperator()
    const gone = operator.file("")
    rmSync(gone)
    for (const [path, why] of [
      [gone, "there is no such file"],
      [operator.data, "it is a directory"],
    ] as const) {
      const ran = await operator.screen("--file", path)
      expect([ran.exit as number, ran.err]).toEqual([4, expect.stringContaining(`cannot read ${path}: ${why}`)])
    }
  })

  test("a missing list is reported on stderr with exit 4 and no CLEAR; hits are still written", async () => {
    using operator = await openScreeningOperator(["US_OFAC_SDN"])
    const { exit, err, rows } = await screenFile(operator, `${HEADER}1,${BLOCKED_ORGANISATION},org,\n2,Ann Moss,,\n`)
    expect(exit).toBe(4)
    expect(rows.map(({ state }) => state)).toEqual(["MATCH", "INSUFFICIENT"])
    expect(err).toContain("not screened  US_TRADE_CSL: no snapshot; bizauth sources import US_TRADE_CSL PATH…\n")
    expect(err).toContain("no name is CLEAR until")
  })
})

describe("the reader of the output", () => {
  const many = (operator: ScreeningOperator, count: number) =>
    operator.file(HEADER + Array.from({ length: count }, (_, at) => `${at},Ann Moss,,\n`).join(""))

  test("may be slow: screening waits for it and does not run ahead", async () => {
    using operator = await openScreeningOperator([])
    let open = 0
    let most = 0
    let written = 0
    const outTaken = async (text: string) => {
      open += 1
      most = Math.max(most, open)
      await new Promise((resolve) => setImmediate(resolve))
      written += text.split("\n").length - 1
      open -= 1
    }
    const terminal = { out: () => {}, err: () => {}, outTaken, environment: {} }
    await screen.run(readInput(screen, ["--file", many(operator, 3000), "--data", operator.data], terminal))
    expect([most, written]).toEqual([1, 3001])
  })

  test("may close the pipe: the command then exits with 4", async () => {
    using operator = await openScreeningOperator([])
    const closed = Object.assign(new Error("broken pipe"), { code: "EPIPE" })
    const terminal = { out: () => {}, err: () => {}, outTaken: () => Promise.reject(closed), environment: {} }
    const input = readInput(screen, ["--file", many(operator, 1), "--data", operator.data], terminal)
    const refused = await screen.run(input).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(CommandError)
    expect(refused).toMatchObject({ exit: 4, message: expect.stringContaining("EPIPE") })
  })
})
