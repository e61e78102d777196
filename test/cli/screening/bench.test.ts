import { expect, test } from "bun:test"
import { command as bench } from "../../../src/cli/screening/bench.ts"
import { PAGE_STYLE } from "../../../src/pages/style.ts"
import { BLOCKED_ORGANISATION } from "../../fixtures/sample-parties.ts"
import { openScreeningOperator } from "../../fixtures/screening-operator.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const slow = slowTests(import.meta.path)
const HEADER = "id,name,type,country,expected,class\n"
const NAMES = [
  `1,${BLOCKED_ORGANISATION},org,RU,US_OFAC_SDN:90001,exact`,
  `2,${BLOCKED_ORGANISATION},org,RU,US_OFAC_SDN:1|US_TRADE_CSL:2,other entry`,
  "3,Marek Kestrelyov,person,,LISTED,typo",
  "4,Ann Moss,person,,LISTED,typo",
  "5,Ann Moss,person,,CLEAR,clean",
  `6,${BLOCKED_ORGANISATION},org,,,clean`,
  "7,華為技術,org,,,",
].join("\n")

slow("counts recall, precision and alerts by class and mark, as text, JSON and a page", async () => {
  using operator = await openScreeningOperator()
  const run = (...args: string[]) =>
    runCommand(bench, [operator.file(`${HEADER}${NAMES}\n`), "--data", operator.data, ...args])
  const { exit, out, err } = await run()
  expect([exit, err]).toEqual([0, ""])
  const cells = (start: string) =>
    out
      .split("\n")
      .find((line) => line.startsWith(start))
      ?.split(/ {2,}/)
  expect(out).toStartWith("at mark 0.80\nclass ")
  expect(cells("exact")).toEqual(["exact", "1", "1", "1", "1.000", "0", "-", "0", "0"])
  expect(cells("other entry")).toEqual(["other entry", "1", "1", "0", "0.000", "0", "-", "1", "0"])
  expect(cells("typo")).toEqual(["typo", "2", "2", "1", "0.500", "0", "-", "0", "0"])
  expect(cells("clean")).toEqual(["clean", "2", "0", "0", "-", "1", "50.00 %", "0", "0"])
  expect(cells("(none)")).toEqual(["(none)", "1", "0", "0", "-", "0", "0.00 %", "0", "1"])
  // Four listed names, two of them found; four alerts, two of them right.
  expect(cells("0.80")).toEqual(["0.80", "0.500", "0.500", "0.500", "4", "1", "33.33 %"])
  const json = JSON.parse((await run("--json", "--threshold", "0.95")).out)
  expect(json).toMatchObject({ version: 1, mark: 0.95, all: { names: 7, listed: 4, unread: 1 } })
  expect(json.all.marks).toHaveLength(36)
  expect(json.all.marks[15]).toMatchObject({
    mark: 0.8,
    found: 2,
    false_alerts: 1,
    other_entries: 1,
    recall: 0.5,
    precision: 0.5,
  })
  const page = (await run("--html")).out
  expect(page).toContain(PAGE_STYLE)
  expect(page).toMatch(/<meta http-equiv="content-security-policy" content="default-src &#39;none&#39;; style-src/)
  expect(page.match(/<polyline points="[\d., ]+"/g)).toHaveLength(2)
  expect(page).not.toMatch(/<script|style="|href=/)
  expect(page).toContain(json.parameter_digest)
})

slow("a class of the file cannot write markup, and a broken line is named", async () => {
  using operator = await openScreeningOperator([])
  const run = (text: string, ...args: string[]) =>
    runCommand(bench, [operator.file(text), "--data", operator.data, ...args])
  const page = await run(`${HEADER}1,Ann Moss,,,,<b>x\n`, "--html")
  expect(page.out).toContain(">&lt;b&gt;x</th>")
  expect(page.out).not.toContain("<b>x")
  for (const [text, why] of [
    ["id,name\n", "line 1: the first line must be id,name,type,country,expected,class"],
    ["", "line 1: the file is empty"],
    [`${HEADER}1,Ann Moss,,,\n`, "line 2: 5 cells where id,name,type,country,expected,class has 6"],
    [`${HEADER}1,Ann Moss,,,US_OFAC_SDN,\n`, "line 2: expected is empty or CLEAR"],
    [`${HEADER}1,Ann Moss,,,,${"x".repeat(61)}\n`, "line 2: the class is longer than 60 characters"],
    [
      HEADER + Array.from({ length: 201 }, (_, at) => `${at},Ann Moss,,,,c${at}\n`).join(""),
      "line 202: more than 200 classes",
    ],
  ] as const) {
    const ran = await run(text)
    expect([ran.exit as number, ran.err]).toEqual([4, expect.stringContaining(why)])
  }
})

test("--html and --json together, and a mark between two marks, are refused", async () => {
  for (const [args, why] of [
    [["--html", "--json"], "give --html or --json, not both"],
    [["--threshold", "0.805"], "the mark of a bench has two decimals"],
  ] as const) {
    const ran = await runCommand(bench, ["labelled.csv", "--data", "nowhere", ...args])
    expect([ran.exit as number, ran.err]).toEqual([2, expect.stringContaining(why)])
  }
})
