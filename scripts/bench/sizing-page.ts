/** The tables of docs/sizing.md, printed from measured figures. */
import { table } from "../docs/markdown.ts"
import type { Sizing } from "./sizing.ts"

interface SizingRun {
  /** Processor, number of cores, memory in GiB, runtime. */
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly memory: number
    readonly system: string
  }
  /** As `bizauth version` prints it. */
  readonly version: string
  /** RFC 3339. */
  readonly at: string
  /** Programs that wanted a core, besides the bench: load averages of a minute before and after. */
  readonly load: readonly [number, number]
  readonly sizing: Sizing
}

const NAMES: Readonly<Record<string, string>> = {
  status: "status of an identity",
  verify: "signature verified",
  "unpaid quote": "quote of a Payment Decision, with two signatures",
  "company check, quote": "quote of a company check",
  "kept answer": "delivered answer given again",
  recover: "recovery with a signature",
  plan: "plan, signed",
  "Beacon event": "Beacon event, stored",
  "purchase, decision": "whole sale of a Payment Decision",
  "purchase, company": "whole sale of a company check",
}

/** Sales a day, and how many of them the busiest hour has: a fifth. */
const LOADS = [1_000, 10_000, 100_000] as const
const BUSY_HOUR = 0.2

const whole = (value: number) => Math.round(value).toLocaleString("en")
const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
const seconds = (value: number) => `${value.toFixed(1)} s`

/** Markdown, without a heading. */
export function sizingTables(run: SizingRun): string {
  const { sizing } = run
  return [
    machineText(run),
    "### Work of a request",
    workTable(sizing),
    "### Memory and start",
    memoryTable(sizing),
    "### Lists",
    listsTable(sizing),
    "### Disk",
    diskTable(sizing),
    "### For a load",
    loadTable(sizing),
  ].join("\n\n")
}

function machineText({ machine, version, at, load }: SizingRun): string {
  const [before, after] = load.map((one) => one.toFixed(1))
  return `Measured on ${at.slice(0, 10)} with ${version}: ${machine.cores} cores of ${machine.cpu}, ${machine.memory.toFixed(0)} GiB of memory, ${machine.system}. The load of
the machine was ${before} before the run and ${after} after it; that changes processor time less than the times of
starts.`
}

function workTable({ rows }: Sizing): string {
  const head = ["request", "processor time, µs", "of it on the main thread, µs", "most a second from one instance"]
  return table(
    head,
    rows.map(({ name, processor, main }) => [
      NAMES[name] ?? name,
      processor === null ? "not measured" : whole(processor),
      main === null ? "not measured" : whole(main),
      main === null ? "not measured" : whole(1e6 / main),
    ]),
  )
}

function memoryTable({ memory, starts }: Sizing): string {
  return table(
    ["server", "resident memory", "start to first answer"],
    [
      ["without lists", `${whole(memory.withoutLists)} MiB`, `${whole(starts.withoutLists)} ms`],
      ["with the four US lists", `${whole(memory.withLists)} MiB`, `${whole(starts.withLists)} ms`],
      ["after all requests of the table above, with small lists", `${whole(memory.afterLoad)} MiB`, ""],
    ],
  )
}

function listsTable({ imports }: Sizing): string {
  return table(
    ["import", "file", "most memory of the command", "processor time"],
    imports.map(({ id, fileBytes, mostMib, seconds: used }) => [
      `\`${id}\``,
      `${whole(fileBytes / 1024)} KiB`,
      `${whole(mostMib)} MiB`,
      seconds(used),
    ]),
  )
}

function diskTable({ bytes }: Sizing): string {
  return table(
    ["what", "bytes"],
    [
      ["a new database", mib(bytes.database)],
      ["one publication of the four lists in `snapshots/`", mib(bytes.snapshots)],
      ["a Payment Decision that is sold, delivered and final", whole(bytes.decision)],
      ["a company check, the same", whole(bytes.companyCheck)],
      ["an enrolled agent", whole(bytes.agent)],
    ],
  )
}

function loadTable({ rows, bytes }: Sizing): string {
  const sale = rows.find(({ name }) => name === "purchase, decision")?.processor ?? Number.NaN
  return table(
    ["Payment Decisions a day", "of one core in the busiest hour", "database after a year"],
    LOADS.map((sales) => {
      const core = (sales * BUSY_HOUR * sale) / 1e6 / 3600
      return [whole(sales), `${(100 * core).toFixed(1)} %`, `${((sales * 365 * bytes.decision) / 1e9).toFixed(1)} GB`]
    }),
  )
}
