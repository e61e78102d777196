/**
 * Runs all checks that a change must pass: types, style, tests, the compiled file, and the scenarios, which start it. The last line reports
 * how many tests really ran. A failure, or a run without tests, exits with 1. With `--tests` it runs only the tests outside
 * `test/scenarios/` and `test/simulation/`. Without `BIZAUTH_LONG` it is brief: see `docs/contribute.md`.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { doorFiles, testFiles as filesWithTests } from "../test/fixtures/door-files.ts"
import { SEED, SHARE } from "../test/fixtures/long.ts"
import { HAS_POSTGRES, type PostgresServer, startPostgres } from "../test/fixtures/postgres.ts"
import { scratchParent } from "./scratch-parent.ts"

const root = join(import.meta.dir, "..")
const scratch = mkdtempSync(join(scratchParent(), "bizauth-check-"))
// The PostgreSQL of the tests runs as another user, because it refuses to run as root, and must reach its own folder below.
chmodSync(scratch, 0o711)
// Also for the server that this process starts: a disk makes and removes the files of a database five times as slowly as memory.
process.env["TMPDIR"] = scratch
const reports = join(scratch, "reports")
mkdirSync(reports)
const bin = (name: string) => join(root, "node_modules", ".bin", name)

interface Counts {
  passed: number
  failed: number
  skipped: number
  /** File, name and message of each failed test. */
  failedTests: string[]
}

/** `.ci/run` sets it. */
const isAuto = process.env["BIZAUTH_LONG"] === "auto"

/** Who does not choose a length gets the brief one: a fourth of the slow tests, and samples of the cases. */
const isBrief = process.env["BIZAUTH_LONG"] === undefined
if (isBrief) process.env["BIZAUTH_BRIEF"] = "1"

/**
 * Number of processes that share the files of a step. Each keeps its loaded modules from file to file, because loading them again costs as
 * much as the tests. Two more than processors are worth it: a third of the time the tests wait for a chain, a round or a child process. With one more
 * the whole step takes a tenth longer.
 */
const PROCESSES = processes(2)
/** A scenario takes a third of a processor: it waits for the processes that it starts. */
const SCENARIO_PROCESSES = processes(3)

function processes(moreThanProcessors: number): number {
  return Math.min(6, availableParallelism() + moreThanProcessors)
}

/**
 * The tests of a step run once and end. So the compiler of JavaScriptCore for code that runs for minutes costs more than it saves: an eighth
 * of the processor time. To give memory back to the system (mimalloc) costs a tenth. The scenarios start the program as it is shipped, with
 * both.
 */
const SHORT_LIVED = { BUN_JSC_useFTLJIT: "0", MIMALLOC_PURGE_DELAY: "-1" }

/** Each unit runs, is undone, and runs again: every engine may do so. */
const UNITS_TWICE = { ...SHORT_LIVED, BIZAUTH_TEST_UNITS: "twice" }

const total: Counts = { passed: 0, failed: 0, skipped: 0, failedTests: [] }
const failures: string[] = []

async function step(
  name: string,
  command: readonly string[],
  environment: Record<string, string> = {},
): Promise<boolean> {
  const started = performance.now()
  console.log(`\n== ${name}`)
  const ran = Bun.spawn([...command], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  })
  await ran.exited
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`== ${name}: ${ran.exitCode === 0 ? "ok" : "FAILED"} (${seconds} s)`)
  return ran.exitCode === 0
}

async function must(name: string, command: readonly string[]): Promise<void> {
  if (!(await step(name, command))) failures.push(name)
}

interface TestsOptions {
  readonly parallel?: number
  readonly environment?: Record<string, string>
  /** Files that start before the others, the first one first. */
  readonly first?: readonly string[]
}

/** Writes how long each file takes, as far as the order needs it: `bun test` starts the files that take longest first. */
function timingsOf(files: readonly string[], first: readonly string[]): string {
  const path = join(scratch, "timings.json")
  const ms = (file: string) => (first.includes(file) ? (first.length - first.indexOf(file)) * 1_000 : 1)
  writeFileSync(path, JSON.stringify({ version: 1, files: Object.fromEntries(files.map((file) => [file, ms(file)])) }))
  return path
}

/**
 * Runs the files with a JUnit report, adds its numbers and returns how many passed. A file that cannot be loaded counts as a failure.
 */
async function tests(
  name: string,
  files: readonly string[],
  { parallel = PROCESSES, environment = {}, first = [] }: TestsOptions = {},
): Promise<number> {
  // Without a file `bun test` would run every test it finds.
  if (files.length === 0) {
    failures.push(`${name}: no test file`)
    return 0
  }
  const report = join(reports, `${name.replaceAll(" ", "-")}.xml`)
  const paths = files.map((file) => `./${file}`)
  const command = [
    process.execPath,
    "test",
    `--parallel=${parallel}`,
    "--no-isolate",
    ...(first.length > 0 ? [`--timings=${timingsOf(files, first)}`] : []),
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...paths,
  ]
  const ok = await step(name, command, environment)
  const counts = readReport(report)
  total.passed += counts.passed
  total.failed += counts.failed
  total.skipped += counts.skipped
  total.failedTests.push(...counts.failedTests)
  if (counts.passed === 0) failures.push(`${name}: no test ran`)
  else if (!ok && counts.failed === 0) failures.push(`${name}: a file failed outside its tests`)
  return counts.passed
}

function readReport(path: string): Counts {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return { passed: 0, failed: 0, skipped: 0, failedTests: [] }
  }
  const head = /<testsuites\b[^>]*>/.exec(text)?.[0] ?? ""
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? "0")
  const failed = number("failures") + number("errors")
  const skipped = number("skipped")
  return { passed: number("tests") - failed - skipped, failed, skipped, failedTests: failedTestsOf(text) }
}

/** Reads the failed tests from a JUnit report. A passed test is an empty element there. */
function failedTestsOf(report: string): string[] {
  const names: string[] = []
  for (const [, attributes = "", inside = ""] of report.matchAll(/<testcase\b([^>]*[^/])>([\s\S]*?)<\/testcase>/g)) {
    if (!/<(?:failure|error)\b/.test(inside)) continue
    const value = (name: string, from = attributes) => new RegExp(`\\b${name}="([^"]*)"`).exec(from)?.[1] ?? "?"
    const message = value("message", inside)
      .replaceAll(/(?:&#10;)+/g, " ")
      .slice(0, 300)
    names.push(`${value("file")}: ${value("classname")} > ${value("name")}: ${message}`)
  }
  return names
}

const testFiles = filesWithTests()
/** These tests start processes on every processor, so nothing else runs at the same time. */
const simulations = testFiles.filter((file) => file.startsWith("test/simulation/"))
/** These tests start the program, so they run against the compiled file, because that file is shipped. */
const scenarios = testFiles.filter((file) => file.startsWith("test/scenarios/"))
const others = testFiles.filter((file) => !simulations.includes(file) && !scenarios.includes(file))

/**
 * Where the types take eleven seconds, the long forms of sampled tests make the check take fifteen minutes or more. So only a machine that is about twice
 * as quick runs them within the limit of fifteen minutes.
 */
const TYPES_SECONDS_MAX = 6

/**
 * What comes after the tests on SQLite takes 1.8 times as long as everything until then. So a machine that needs longer until then would need more than
 * fifteen minutes. It takes one in so many of the files with scenarios, and of the files that sell on PostgreSQL; the commit decides which.
 */
const SLOW_MACHINES = [
  { seconds: 305, share: 2 },
  { seconds: 410, share: SHARE },
] as const

const begunAt = performance.now()
/** One in so many of those files runs. */
let share: number = isBrief ? SHARE : 1
/** A file with scenarios takes longer than one that sells: it starts programs. */
const BRIEF_SCENARIOS_SHARE = 6

/** They take longest, so they start first, or the other processes would wait for one at the end of the step. */
const LONGEST_SCENARIOS = [
  "examples/examples",
  "release/bare-machine",
  "screen-file",
  "kill-and-recover",
  "operations/paused-rights",
  "binary-lifecycle",
  "postgres/instances",
  "key-rotation",
  "operations/floods",
  "postgres/migrate",
  "postgres/balancer",
  "database-faults",
  "lying-node",
  "sources/sources-schedule",
].map((name) => `test/scenarios/${name}.test.ts`)

/** `BIZAUTH_LONG=auto`: called after the tests on SQLite. */
function chooseShare(): void {
  const spent = (performance.now() - begunAt) / 1000
  share = SLOW_MACHINES.findLast(({ seconds }) => spent > seconds)?.share ?? share
}

/** `BIZAUTH_LONG=auto`: all cases of sampled tests if this machine ends them in time, as the seconds of the types show; else the samples. */
function chooseLength(seconds: number): void {
  const isQuick = seconds <= TYPES_SECONDS_MAX
  process.env["BIZAUTH_LONG"] = isQuick ? "chosen" : "0"
  const measured = `the types took ${seconds.toFixed(1)} s, and ${TYPES_SECONDS_MAX} s are allowed for the long forms`
  console.log(
    isQuick ? `\nsampled tests run all cases: ${measured}` : `\nNOT RUN: the long forms of sampled tests: ${measured}`,
  )
}

/** Builds the file that the scenarios start, and runs them: all of their files, or a part that the commit decides. */
async function runScenarios(): Promise<void> {
  if (!(await step("build", [process.execPath, "scripts/build.ts"]))) {
    failures.push("build")
    return
  }
  const environment = { BIZAUTH_BINARY: join(root, "dist", "bizauth") }
  const own = isBrief ? BRIEF_SCENARIOS_SHARE : share
  const unknown = LONGEST_SCENARIOS.filter((file) => !scenarios.includes(file))
  if (unknown.length > 0) failures.push(`no such scenario: ${unknown.join(", ")}`)
  const taken = scenarios.filter((_, at) => (at + SEED) % own === 0)
  await tests("scenarios of the compiled file", taken, {
    parallel: SCENARIO_PROCESSES,
    environment,
    first: LONGEST_SCENARIOS,
  })
  const left = scenarios.length - taken.length
  if (left > 0)
    console.log(`\nNOT RUN: ${left} of ${scenarios.length} files with scenarios (BIZAUTH_LONG=0 or a slow machine)`)
}

/**
 * Runs the tests, and those whose stores come through the door again on PostgreSQL. Prints how many passed on each engine.
 */
async function runTests(): Promise<void> {
  const server = HAS_POSTGRES ? await startPostgres(["max_connections=400"]) : null
  // All processes share it.
  if (server) process.env["BIZAUTH_TEST_POSTGRES"] = server.url
  try {
    const passed = await tests("tests", others, { environment: UNITS_TWICE })
    console.log(`\non SQLite: ${passed} passed`)
    if (isAuto && process.env["BIZAUTH_LONG"] === "0") chooseShare()
    await testsOnPostgres(server)
  } finally {
    delete process.env["BIZAUTH_TEST_POSTGRES"]
    await server?.stop()
  }
}

/** Where units are written and sold: a run that is not brief takes all of these files on PostgreSQL, and a fourth of the others. */
const SELLING = /^test\/(contact|delivery|jobs|payments|products|store)\//

/** Those that sell like the scenarios, and a fourth of the others. The commit decides which. */
function takenOnPostgres(files: readonly string[]): string[] {
  if (process.env["BIZAUTH_LONG"] === "1") return [...files]
  return files.filter((file, at) => (at + SEED) % (SELLING.test(file) ? share : SHARE) === 0)
}

async function testsOnPostgres(server: PostgresServer | null): Promise<void> {
  const files = doorFiles().filter((file) => others.includes(file))
  if (server === null) {
    console.log(`\nNOT RUN: ${files.length} files on PostgreSQL: its programs are not installed here`)
    return
  }
  const taken = takenOnPostgres(files)
  // A service of a test runs thousands of units, each of which waits for the server: the second run of each is worth its time on request. A brief
  // run has so few of these files that a step of their own would load the modules for longer than it tests.
  const isTwice = (file: string) => isBrief || file.startsWith("test/store/") || process.env["BIZAUTH_LONG"] === "1"
  const [twice, once] = [taken.filter(isTwice), taken.filter((file) => !isTwice(file))]
  const engine = { BIZAUTH_TEST_ENGINE: "postgres" }
  let passed = await tests("units twice on PostgreSQL", twice, { environment: { ...UNITS_TWICE, ...engine } })
  if (once.length > 0) {
    passed += await tests("tests on PostgreSQL", once, { environment: { ...SHORT_LIVED, ...engine } })
  }
  console.log(`\non PostgreSQL: ${passed} passed in ${taken.length} files`)
  const left = files.length - taken.length
  if (left > 0) console.log(`NOT RUN: ${left} of ${files.length} files on PostgreSQL (BIZAUTH_LONG=1 runs all)`)
}

if (process.argv.includes("--tests")) await runTests()
else {
  const typesStarted = performance.now()
  // Each checker derives the shared types again, and four are the default.
  const checkers = Math.min(4, availableParallelism())
  const types = must("types", [bin("tsc"), "--noEmit", "--checkers", String(checkers)]).then(() => {
    if (isAuto) chooseLength((performance.now() - typesStarted) / 1000)
  })
  // The types need one processor.
  await Promise.all([types, must("style", [bin("biome"), "ci", "--diagnostic-level=warn", "."])])
  await runTests()
  await tests("simulation of the paid path", simulations)
  await runScenarios()
}
rmSync(scratch, { recursive: true, force: true })

console.log("")
if (total.skipped > 0) console.log(`${total.skipped} skipped; each says why in its name`)
for (const name of [...total.failedTests, ...failures]) console.log(`FAILED: ${name}`)
console.log(`${total.passed} passed, ${total.failed + failures.length} failed`)
process.exitCode = total.failed + failures.length > 0 || total.passed === 0 ? 1 : 0
