/**
 * `bun scripts/bench-register.ts [ROWS] [FOLDER]`: makes a register of ROWS companies (default 5.8 million) in FOLDER, imports it with the
 * compiled binary while a server answers requests, and looks up companies. Needs about 5 GB in FOLDER and frees them.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { RegisterReader } from "../src/sources/import/register-file.ts"
import { companyNumber } from "../test/fixtures/companies-house-file.ts"
import { runToEnd, startUnpinned } from "./bench/processes.ts"
import { makeRegisterZip } from "./bench/register-file.ts"
import { PLAIN_ENVIRONMENT } from "./plain-environment.ts"

const rows = Number(process.argv[2] ?? 5_800_000)
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), "bench-register-"))
const binary = join(import.meta.dir, "..", "dist", "bizauth")
const DAY = `${new Date().toISOString().slice(0, 8)}01`
const REQUEST_EVERY_MS = 20
const LOOKUPS = 100_000

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function spread(values: readonly number[], unit: string): string {
  const [p50, p99, most] = [percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)]
  return `p50 ${p50.toFixed(2)}  p99 ${p99.toFixed(2)}  max ${most.toFixed(2)} ${unit}  (${values.length})`
}

/** Returns the peak resident memory of a running process in MiB. */
function peakMemory(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  return Number(line?.[1] ?? 0) / 1024
}

/** Sends a request every 20 ms until stopped. Each starts on time, even if the one before has no answer yet. */
function askSteadily(origin: string) {
  const took: number[] = []
  let failed = 0
  const paths = ["/livez", "/v1/us/federal/source-health"]
  let turn = 0
  const timer = setInterval(async () => {
    const started = performance.now()
    turn += 1
    try {
      const answer = await fetch(origin + paths[turn % paths.length])
      await answer.text()
      took.push(performance.now() - started)
    } catch {
      failed += 1
    }
  }, REQUEST_EVERY_MS)
  return { took, failed: () => failed, stop: () => clearInterval(timer) }
}

/**
 * Measures the commits of the service on the same disk meanwhile. A separate process, because waiting for the disk would delay the
 * requests.
 */
function commitSteadily(path: string) {
  const probe = Bun.spawn([process.execPath, join(import.meta.dir, "bench", "commit-probe.ts"), path], {
    stdout: "pipe",
  })
  return async (): Promise<readonly number[]> => {
    probe.kill("SIGTERM")
    return JSON.parse(await new Response(probe.stdout).text()) as readonly number[]
  }
}

async function importRegister(data: string, path: string) {
  const started = performance.now()
  const child = Bun.spawn([binary, "sources", "import", "UK_COMPANIES_HOUSE", path, "--data", data], {
    env: PLAIN_ENVIRONMENT,
    stdout: "pipe",
    stderr: "inherit",
  })
  let peak = 0
  const watching = setInterval(() => {
    try {
      peak = Math.max(peak, peakMemory(child.pid))
    } catch {
      // The process ended between two samples.
    }
  }, 50)
  const out = await new Response(child.stdout).text()
  await child.exited
  clearInterval(watching)
  return { seconds: (performance.now() - started) / 1000, peak, exit: child.exitCode, out }
}

function lookUp(path: string) {
  const reader = new RegisterReader(path)
  const took: number[] = []
  let found = 0
  for (let index = 0; index < LOOKUPS; index += 1) {
    const key = companyNumber((index * 2_654_435_761) % rows)
    const started = Bun.nanoseconds()
    const entry = reader.findByKey(key)
    took.push((Bun.nanoseconds() - started) / 1000)
    if (entry?.key === key) found += 1
  }
  reader.close()
  return { took, found }
}

try {
  const made = await makeRegisterZip(folder, DAY, rows)
  console.log(`made        ${rows} rows  ${made.csvBytes} bytes of CSV  ${made.zipBytes} zipped`)
  const data = join(folder, "data")
  runToEnd([binary, "init", "--data", data, "--environment", "test"])
  const served = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--rate-limits", "off"]
  const server = await startUnpinned(served, join(folder, "server.log"))
  const quiet = askSteadily(server.origin)
  const quietCommits = commitSteadily(join(folder, "quiet.db"))
  await Bun.sleep(5000)
  quiet.stop()
  const quietTook = await quietCommits()
  for (const round of ["first", "second, with the first to compare"]) {
    const requests = askSteadily(server.origin)
    const commits = commitSteadily(join(folder, `commits-${round.length}.db`))
    const imported = await importRegister(data, made.path)
    requests.stop()
    const committed = await commits()
    console.log(
      `import      ${imported.seconds.toFixed(1)} s  exit ${imported.exit}  peak ${imported.peak.toFixed(0)} MiB  (${round})`,
    )
    if (imported.exit !== 0) console.log(imported.out)
    console.log(`requests    ${spread(requests.took, "ms")}  failed ${requests.failed()}`)
    console.log(`commits     ${spread(committed, "ms")}`)
  }
  console.log(
    `load        ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")} on ${cpus().length} cores`,
  )
  console.log(`quiet       requests ${spread(quiet.took, "ms")}`)
  console.log(`quiet       commits ${spread(quietTook, "ms")}`)
  console.log(`server      peak ${peakMemory(server.pid).toFixed(0)} MiB`)
  await server.stop()
  const companiesHouse = join(data, "snapshots", "UK_COMPANIES_HOUSE")
  const [snapshot = ""] = readdirSync(companiesHouse).filter((name) => name.startsWith("snp_"))
  const register = join(companiesHouse, snapshot, "register.sqlite")
  const { took, found } = lookUp(register)
  console.log(`look-ups    ${spread(took, "us")}  found ${found}`)
  console.log(`on disk     ${statSync(register).size} bytes  ${(statSync(register).size / rows).toFixed(0)} a company`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
