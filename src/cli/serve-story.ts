/** What a person at the terminal of `serve` reads once it serves: where to look, what is sold, and how to stop. */
import { judgeSaleOf } from "../delivery/judge-sale.ts"
import type { RequiredSource } from "../delivery/sale.ts"
import { type SoldOperation, soldOperations } from "../discovery/sold.ts"
import type { OpenedService } from "../open-service.ts"
import { inColumns, type Row, rowsText, shellWord } from "./rows.ts"

type Told = Pick<
  OpenedService,
  "baseUrl" | "config" | "delivery" | "environment" | "dataDirectory" | "shell" | "readiness"
>

/** A page is printed if this server has it. */
const PAGES = [
  { path: "/", what: "what this server answers, prices, keys" },
  { path: "/status", what: "what is sold now and why not, the age of every list" },
  { path: "/docs", what: "documentation and every route" },
  { path: "/verify", what: "check an answer in the browser" },
] as const

const COUNTRY: Readonly<Record<string, string>> = { GB: "UK" }

interface Judged {
  readonly row: SoldOperation
  /** Code of the refusal; null if it is sold now. */
  readonly whyNot: string | null
  readonly sources: readonly RequiredSource[]
}

/** `origin`: where the server listens. `at` in milliseconds. */
export async function servingStory(service: Told, origin: string, at: number): Promise<string> {
  const { baseUrl, config, delivery, dataDirectory, environment, shell, readiness } = service
  await readiness.look()
  const operations = shell.served.rows()
  const judged = await Promise.all(
    soldOperations(operations).map(async (row): Promise<Judged> => {
      const { refusal, sources } = await judgeSaleOf(delivery, row.product.id, at)
      return { row, whyNot: refusal?.code ?? null, sources }
    }),
  )
  const data = `--data ${shellWord(dataDirectory.paths.directory)}`
  const isAllSold = judged.every(({ whyNot }) => whyNot === null)
  const paths = new Set(operations.map(({ path }) => path))
  const open = PAGES.filter(({ path }) => paths.has(path)).map(({ path, what }) => [`${origin}${path}`, what] as const)
  return rowsText(
    inColumns(open).map((line, index): Row => [index === 0 ? "open" : "", line]),
    [
      ["data", `${dataDirectory.paths.directory}, for ${environment}`],
      ...(baseUrl === origin ? [] : [["public", `${baseUrl}, which signatures name`] satisfies Row]),
      ...saleRows(judged),
      ...(isAllSold ? [] : [["", `bizauth check ${data} says how to mend it`] satisfies Row]),
    ],
    [["stop", `Ctrl-C; requests in flight have ${config.shutdown_seconds} s, and a second Ctrl-C ends at once`]],
  )
}

interface Verdict {
  readonly word: "sold now" | "not sold"
  readonly text: string
}

/** One row for the products of one country that have the same answer. */
function saleRows(judged: readonly Judged[]): readonly Row[] {
  const groups = Map.groupBy(judged, ({ row, whyNot, sources }) => `${COUNTRY[row.product.jurisdiction] ?? row.product.jurisdiction} ${reasonText(whyNot, sources)}`)
  const verdicts = [...groups].map(([text, group]): Verdict => ({
    word: group.every(({ whyNot }) => whyNot === null) ? "sold now" : "not sold",
    text: `${group.length} ${text}`,
  }))
  return (["sold now", "not sold"] as const).flatMap((word) =>
    verdicts.filter((one) => one.word === word).map(({ text }, index): Row => [index === 0 ? word : "", text]),
  )
}

/** Payments may be off and a list may be missing: a person wants to know both. */
function reasonText(whyNot: string | null, sources: readonly RequiredSource[]): string {
  if (whyNot === null) return "products"
  const failed = sources.filter(({ health }) => health !== "HEALTHY")
  const lacks = failed.map(({ sourceId, staleAt }) => `${sourceId} (${staleAt === null ? "missing" : "not current"})`)
  return `products, ${whyNot}${lacks.length === 0 ? "" : `; they need ${lacks.join(", ")}`}`
}
