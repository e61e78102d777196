/** What a person at the terminal of `serve` reads once it serves: where to look, what is sold, and how to stop. */
import { readDocsIndex, readStatusPage, readVerifyPage } from "../../schemas/pages.ts"
import { UNIX } from "../base/listen-address.ts"
import type { OpenedService } from "../server/open-service.ts"
import { type ProductNow, productsNow } from "../server/site-pages.ts"
import { byState, inColumns, type Row, rowsText } from "./rows.ts"

type ProductSale = Pick<ProductNow, "jurisdiction" | "whyNot" | "sources">

const PAGES = [
  { path: "/", what: "what this server answers, prices, keys" },
  { path: readStatusPage.path, what: "what is sold now and why not, the age of every list" },
  { path: readDocsIndex.path, what: "documentation and every route" },
  { path: readVerifyPage.path, what: "check an answer in the browser" },
] as const

const COUNTRY: Readonly<Record<string, string>> = { GB: "UK" }

export interface CheckCommand {
  /** The flags that name the data directory and the configuration file. */
  readonly flags: string
  /** The server has settings from flags, which are not repeated here: one may hold the key of a node. */
  readonly lacksSettings: boolean
}

export interface ServingFacts {
  /** Where the server listens: `http://HOST:PORT` or `unix:PATH`. */
  readonly origin: string
  /** The public origin. */
  readonly baseUrl: string
  /** Absolute path of the data directory. */
  readonly directory: string
  readonly environment: string
  readonly shutdownSeconds: number
  readonly products: readonly ProductSale[]
  readonly check: CheckCommand
}

/** Looks once whether the service is ready, so that the summary is true when it is printed. `at` in milliseconds. */
export async function servingSummary(
  service: OpenedService,
  origin: string,
  at: number,
  check: CheckCommand,
): Promise<string> {
  const { baseUrl, config, dataDirectory, environment, readiness } = service
  // A run that has begun may lack the checks of payments, which were opened since.
  await readiness.runAgain()
  return summaryText({
    origin,
    baseUrl,
    directory: dataDirectory.paths.directory,
    environment,
    shutdownSeconds: config.shutdown_seconds,
    products: await productsNow(service, service.shell.served.rows(), at),
    check,
  })
}

export function summaryText(facts: ServingFacts): string {
  const { origin, baseUrl, directory, environment, shutdownSeconds, products, check } = facts
  const isAllSold = products.every(({ whyNot }) => whyNot === null)
  const isSocket = origin.startsWith(UNIX)
  const open = PAGES.map(({ path, what }) => [`${isSocket ? baseUrl : origin}${path}`, what] as const)
  return rowsText(
    inColumns(open).map((line, index): Row => [index === 0 ? "open" : "", line]),
    [
      ...(isSocket ? [["socket", `${origin}, for the proxy`] satisfies Row] : []),
      ["data", `${directory}, for ${environment}`],
      ...(baseUrl === origin ? [] : [["public", `${baseUrl}, the address in signed answers`] satisfies Row]),
      ...saleRows(products),
      ...(isAllSold ? [] : mendRows(check)),
    ],
    [["stop", `Ctrl-C; requests in flight have ${shutdownSeconds} s, and a second Ctrl-C ends at once`]],
  )
}

function mendRows({ flags, lacksSettings }: CheckCommand): readonly Row[] {
  return [
    ["", `bizauth check ${flags} says how to mend it`],
    ...(lacksSettings ? [["", "give it the same flags for settings as this server"] satisfies Row] : []),
  ]
}

/** One row for the products of one country that have the same answer, and one for the lists that they lack. */
function saleRows(products: readonly ProductSale[]): readonly Row[] {
  const lineOf = ({ jurisdiction, whyNot }: ProductSale) =>
    `${COUNTRY[jurisdiction] ?? jurisdiction} products${whyNot === null ? "" : `, ${whyNot}`}`
  const linesOf = (isSold: boolean): readonly string[] => {
    const groups = Map.groupBy(
      products.filter(({ whyNot }) => (whyNot === null) === isSold),
      (product) => `${lineOf(product)}\n${lackedBy(product)}`,
    )
    // The United States first.
    const sorted = [...groups].toSorted(([a], [b]) => (a < b ? 1 : -1))
    return sorted.flatMap(([text, { length }]) => {
      const [line = "", lacks = ""] = text.split("\n")
      return [`${length} ${line}`, ...(lacks === "" ? [] : [`  need ${lacks}`])]
    })
  }
  const rows = (word: string, lines: readonly string[]) =>
    lines.map((line, index): Row => [index === 0 ? word : "", line])
  return [...rows("sold now", linesOf(true)), ...rows("not sold", linesOf(false))]
}

/** Payments may be off and a list may be missing: a person wants to know both. */
function lackedBy({ whyNot, sources }: ProductSale): string {
  const failed = whyNot === null ? [] : sources.filter(({ health }) => health !== "HEALTHY")
  return byState(
    failed.map(({ sourceId, health, staleAt }) => {
      const isMissing = health === "UNAVAILABLE" && staleAt === null
      return [sourceId, isMissing ? "missing" : health]
    }),
  )
}
