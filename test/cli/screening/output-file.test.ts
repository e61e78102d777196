/** A run of `screen --file --out` that is interrupted anywhere and resumed writes the bytes of a run that nobody disturbed. */
import { expect } from "bun:test"
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { SAFE_POINT_NAMES } from "../../../src/cli/screening/output-file.ts"
import { BLOCKED_ORGANISATION } from "../../fixtures/sample-parties.ts"
import { openScreeningOperator, type ScreeningOperator } from "../../fixtures/screening-operator.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const HEADER = "id,name,type,country\n"
const MAIN = join(import.meta.dir, "../../../src/main.ts")

function namesText(count: number): string {
  const listed = (at: number) => (at % 97 === 0 ? BLOCKED_ORGANISATION : `Ann Moss ${at}`)
  return HEADER + Array.from({ length: count }, (_, at) => `${at},"${listed(at)}",,\n`).join("")
}

/** The run of a whole file, and the paths of one that is disturbed. */
async function openRun(operator: ScreeningOperator, count: number) {
  const names = operator.file(namesText(count))
  const place = (name: string) => `${names}.${name}`
  const run = (out: string, ...flags: string[]) => operator.screen("--file", names, "--out", place(out), ...flags)
  const whole = await run("whole")
  expect(whole.exit).toBe(0)
  const expected = readFileSync(place("whole"), "utf8")
  const report = (out: string) => JSON.parse(readFileSync(`${place(out)}.report.json`, "utf8"))
  return { names, place, run, expected, report, whole: whole.out }
}

test("--out writes the bytes of standard output, a summary, and a report with digests, lists and scorer", async () => {
  using operator = await openScreeningOperator()
  const { names, expected, report, whole } = await openRun(operator, 300)
  expect((await operator.screen("--file", names)).out).toBe(expected)
  const written = report("whole")
  const sha256 = (text: string) => `sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`
  expect(written).toMatchObject({
    ...{ version: 1, complete: true, threshold: 0.8 },
    input: { sha256: sha256(namesText(300)), bytes: statSync(names).size },
    output: { sha256: sha256(expected), bytes: expected.length, form: "CSV" },
    counts: { names: 300, states: { POSSIBLE_MATCH: 4, CLEAR: 296 }, lists: { US_OFAC_SDN: 4 } },
  })
  expect(written.scorer_version).toMatch(/^svc-name-score\//)
  expect(written.sources.map(({ raw_sha256 }: { raw_sha256: string }) => raw_sha256)).toEqual(
    Array(4).fill(expect.stringMatching(/^sha256:[0-9a-f]{64}$/)),
  )
  expect(whole).toStartWith("300 names screened\nstates      CLEAR 296, POSSIBLE_MATCH 4\n")
  expect(whole).toContain(written.output.sha256)
})

test("one thread and two write the same bytes, as CSV and as JSON lines", async () => {
  using operator = await openScreeningOperator()
  const names = operator.file(namesText(700))
  for (const form of [[], ["--json"]]) {
    const outputs: string[] = []
    for (const threads of ["1", "2"])
      outputs.push((await operator.screen("--file", names, "--threads", threads, ...form)).out)
    expect(new Set(outputs).size).toBe(1)
    expect(outputs[0]?.trimEnd().split("\n")).toHaveLength(form.length === 0 ? 701 : 700)
  }
})

test("a process that is killed at several places is resumed to the same bytes", async () => {
  using operator = await openScreeningOperator()
  const { names, place, run, expected, report } = await openRun(operator, 1.5 * SAFE_POINT_NAMES)
  for (const [at, share] of [0, 0.3, 0.75].entries()) {
    const out = place(`killed-${at}`)
    const partial = `${out}.partial`
    const args = ["screen", "--file", names, "--out", out, "--threads", `${1 + (at % 2)}`, "--data", operator.data]
    const child = Bun.spawn([process.execPath, MAIN, ...args], {
      env: { PATH: process.env["PATH"] ?? "" },
      stdout: "ignore",
      stderr: "inherit",
    })
    const isThere = () => existsSync(partial) && statSync(partial).size >= share * expected.length
    while (!isThere() && child.exitCode === null) await Bun.sleep(1)
    child.kill("SIGKILL")
    await child.exited
    expect([child.signalCode, existsSync(out)]).toEqual(["SIGKILL", false])
    const resumed = await run(`killed-${at}`, "--resume")
    expect(resumed.exit).toBe(0)
    expect(readFileSync(out, "utf8") === expected).toBe(true)
    expect(report(`killed-${at}`).output).toEqual(report("whole").output)
    expect(report(`killed-${at}`).counts).toEqual(report("whole").counts)
  }
  expect(readdirSync(join(names, "..")).filter((name) => name.includes("partial"))).toEqual([])
}, 60_000)

test("a kill between the last steps costs nothing, and a complete run is left as it is", async () => {
  using operator = await openScreeningOperator()
  const { place, run, expected } = await openRun(operator, 50)
  const [out, partial, report] = [place("whole"), `${place("whole")}.partial`, `${place("whole")}.report.json`]
  const requireWhole = async () => {
    const again = await run("whole", "--resume")
    expect([again.exit, readFileSync(out, "utf8"), existsSync(partial)]).toEqual([0, expected, false])
  }
  await requireWhole()
  // The report says complete, and the output has no name yet.
  renameSync(out, partial)
  await requireWhole()
  // The report of the last safe point, and bytes after it that a kill cut anywhere.
  renameSync(out, partial)
  const whole = JSON.parse(readFileSync(report, "utf8"))
  const header = expected.slice(0, expected.indexOf("\n") + 1)
  const sha256 = `sha256:${new Bun.CryptoHasher("sha256").update(header).digest("hex")}`
  const counts = { names: 0, states: {}, lists: {}, near_misses: 0, suppressed: 0 }
  const begun = { ...whole, complete: false, output: { ...whole.output, sha256, bytes: header.length }, counts }
  writeFileSync(report, JSON.stringify(begun))
  appendFileSync(partial, "7,half a ro")
  await requireWhole()
  // Only the partial file: no report was written yet.
  renameSync(out, partial)
  rmSync(report)
  await requireWhole()
})

test("the command overwrites no file, and one file never holds rows of two runs", async () => {
  using operator = await openScreeningOperator()
  const { names, place, run, expected } = await openRun(operator, 20)
  const [out, partial, report] = [place("whole"), `${place("whole")}.partial`, `${place("whole")}.report.json`]
  const refused = async (exit: number, why: string, ...flags: string[]) => {
    const ran = await run("whole", ...flags)
    expect([ran.exit as number, ran.err]).toEqual([exit, expect.stringContaining(why)])
  }
  await refused(2, `${out} exists; it is not overwritten`)
  await refused(2, "another input, other lists or another threshold", "--resume", "--threshold", "0.9")
  writeFileSync(out, `${expected}more`)
  await refused(4, `${out} is missing or has other bytes than its report says`, "--resume")
  renameSync(out, partial)
  await refused(2, "an earlier run was interrupted: --resume continues it")
  writeFileSync(report, "{}")
  await refused(4, `${report} is not a report of screen --file`, "--resume")
  rmSync(partial)
  rmSync(report)
  writeFileSync(out, "mine")
  await refused(2, `${out} exists; it is not overwritten`, "--resume")
  expect(readFileSync(out, "utf8")).toBe("mine")
  writeFileSync(names, namesText(21))
})

test("--resume, --report and --threads without what they need are refused", async () => {
  using operator = await openScreeningOperator([])
  const names = operator.file(HEADER)
  for (const [args, why] of [
    [["--file", names, "--resume"], "--resume goes with --out"],
    [["--file", names, "--threads", "0"], "--threads is a number from 1 to 16"],
    [["--file", names, "--threads", "17"], "--threads is a number from 1 to 16"],
    [["Ann Moss", "--out", "x"], "--out goes with --file"],
    [["Ann Moss", "--threads", "2"], "--threads goes with --file"],
    [["--file", "/dev/null", "--out", `${names}.out`], "/dev/null is not a plain file"],
  ] as const) {
    const ran = await operator.screen(...args)
    expect([ran.exit as number, ran.err]).toEqual([2, expect.stringContaining(why)])
  }
})
