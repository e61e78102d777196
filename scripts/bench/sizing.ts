/** What a machine must have for a load: processor time of each kind of request, memory, and bytes on the disk. */

import { Database } from "bun:sqlite"
import { mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { formatInstant } from "../../src/core/time.ts"
import { dataPaths } from "../../src/data/data-paths.ts"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { writeWholeLists } from "../../test/fixtures/whole-lists.ts"
import { PLAIN_ENVIRONMENT } from "../plain-environment.ts"
import { enrolAgents } from "./agents.ts"
import { withServers } from "./measured-servers.ts"
import type { MeasuredSystem } from "./measured-system.ts"
import { mostResidentMib, residentMib, runToEnd } from "./processes.ts"
import { measurePurchaseCosts, usedBytes } from "./purchase-costs.ts"
import { COMPANY_CHECK, PAYMENT_DECISION } from "./purchases.ts"
import { type LoadOptions, measureRows, type RowResult, rowsNamed } from "./rows.ts"
import { coldStarts } from "./starts.ts"
import { median } from "./statistics.ts"

interface ImportedList {
  readonly id: string
  /** Of the publisher's file. */
  readonly fileBytes: number
  /** Most memory of the command, in MiB. */
  readonly mostMib: number
  /** Processor time of the command, in seconds. */
  readonly seconds: number
}

export interface Sizing {
  readonly rows: readonly RowResult[]
  readonly memory: {
    /** MiB of a server one second after its first answer. */
    readonly withoutLists: number
    readonly withLists: number
    /** MiB after all rows, with small lists. */
    readonly afterLoad: number
  }
  readonly starts: {
    /** Milliseconds from the start of the process to its first answer. */
    readonly withoutLists: number
    readonly withLists: number
  }
  /** Bytes of the database. */
  readonly bytes: {
    readonly decision: number
    readonly companyCheck: number
    readonly agent: number
    /** Of a new one with these lists. */
    readonly database: number
    /** All of `snapshots/` with one publication of each of the four lists. */
    readonly snapshots: number
  }
  readonly imports: readonly ImportedList[]
}

/** In the order of the page. */
const MEASURED = [
  "status",
  "verify",
  "unpaid quote",
  "company check, quote",
  "kept answer",
  "recover",
  "plan",
  "Beacon event",
  "purchase, decision",
  "purchase, company",
]
const AGENTS = 400
const AT_ONCE = 8
const STARTS = 3
const LOOK_MS = 5
const HOUR_MS = 3_600_000

/** `binary`: the compiled file. */
export async function measureSizing(binary: string, options: LoadOptions): Promise<Sizing> {
  return withServers([binary], async ({ folder, systems: [system], raw }) => {
    if (system === undefined) throw new TypeError("a binary has a system")
    const lists = await measureLists(binary, folder)
    const rows = await measureRows(raw, system, options, rowsNamed(MEASURED))
    const afterLoad = memoryOf(residentMib(system.server.pid))
    const agent = await bytesOfAgent(system)
    await system.server.stop()
    const decision = await measurePurchaseCosts(system, PAYMENT_DECISION)
    const companyCheck = await measurePurchaseCosts(system, COMPANY_CHECK)
    return {
      rows: MEASURED.flatMap((name) => rows.filter((row) => row.name === name)),
      memory: { ...lists.memory, afterLoad },
      starts: lists.starts,
      bytes: { decision: decision.bytes, companyCheck: companyCheck.bytes, agent, ...lists.bytes },
      imports: lists.imports,
    }
  })
}

/** The server runs. The pages of its database that hold rows grow with each agent. */
async function bytesOfAgent({ data, server }: MeasuredSystem): Promise<number> {
  const database = new Database(dataPaths(data).database, { readonly: true })
  try {
    const before = usedBytes(database)
    await enrolAgents(server.origin, AGENTS, AT_ONCE)
    return (usedBytes(database) - before) / AGENTS
  } finally {
    database.close()
  }
}

/** A directory of its own with lists as large as the published ones. */
async function measureLists(binary: string, folder: string) {
  const data = join(folder, "whole")
  const files = join(folder, "whole-lists")
  const publishedAt = Date.now() - HOUR_MS
  mkdirSync(files)
  writeWholeLists(files, publishedAt)
  runToEnd([binary, "init", "--data", data, "--environment", "test"])
  const command = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0"]
  const empty = await coldStarts(command, { folder, starts: STARTS, hasLists: false })
  const imports: ImportedList[] = []
  for (const id of REQUIRED_US_SOURCES) {
    const file = join(files, fileOf(id, readdirSync(files)))
    const at = id === "US_TRADE_CSL" ? ["--published-at", formatInstant(publishedAt)] : []
    const used = await runMeasured([binary, "sources", "import", id, file, ...at, "--data", data])
    imports.push({ id, fileBytes: statSync(file).size, ...used })
  }
  const filled = await coldStarts(command, { folder, starts: STARTS })
  const idle = ({ idleMib }: typeof filled) => memoryOf(idleMib.length === 0 ? null : median(idleMib))
  return {
    memory: { withoutLists: idle(empty), withLists: idle(filled) },
    starts: { withoutLists: median(empty.times), withLists: median(filled.times) },
    bytes: { database: statSync(dataPaths(data).database).size, snapshots: folderBytes(dataPaths(data).snapshots) },
    imports,
  }
}

const FILES: Readonly<Record<string, RegExp>> = {
  US_OFAC_SDN: /^SDN_/,
  US_OFAC_CONSOLIDATED: /^CONS_/,
  US_SAM_EXCLUSIONS: /^SAM_/,
  US_TRADE_CSL: /^consolidated/,
}

function fileOf(id: string, names: readonly string[]): string {
  const found = names.find((name) => FILES[id]?.test(name))
  if (found === undefined) throw new RangeError(`no file is one of ${id}`)
  return found
}

/** Runs a command to its end. Its memory is read while it runs, because what the system says afterwards includes the memory of this process. */
async function runMeasured(command: readonly string[]): Promise<Pick<ImportedList, "mostMib" | "seconds">> {
  const child = Bun.spawn([...command], { env: PLAIN_ENVIRONMENT, stdout: "ignore", stderr: "pipe" })
  const said = new Response(child.stderr).text()
  let mostMib = 0
  while (child.exitCode === null && child.signalCode === null) {
    mostMib = Math.max(mostMib, mostResidentMib(child.pid) ?? 0)
    await Bun.sleep(LOOK_MS)
  }
  if (child.exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${child.exitCode}: ${await said}`)
  return { mostMib, seconds: Number(child.resourceUsage()?.cpuTime.total) / 1e6 }
}

function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

function memoryOf(mib: number | null): number {
  if (mib === null) throw new Error("this system does not say how much memory a process has (no /proc)")
  return mib
}
