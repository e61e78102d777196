/** What `serve` says at a terminal, for servers that sell everything, some of it and nothing. */
import { describe, expect, test } from "bun:test"
import { type ServingFacts, summaryText } from "../../src/cli/serve-summary.ts"
import type { RequiredSource } from "../../src/delivery/sale.ts"

type ProductNow = ServingFacts["products"][number]

const source = (sourceId: string, health: RequiredSource["health"], staleAt: number | null = 1): RequiredSource => ({
  sourceId,
  health,
  reasonCodes: [],
  staleAt,
})
const products = (count: number, product: ProductNow) => Array.from({ length: count }, () => product)
const us = (whyNot: string | null, sources: readonly RequiredSource[] = [source("US_OFAC_SDN", "HEALTHY")]) =>
  products(7, { jurisdiction: "US", whyNot, sources })
const uk = (whyNot: string | null, sources: readonly RequiredSource[] = []) =>
  products(2, { jurisdiction: "GB", whyNot, sources })

const facts = (changes: Partial<ServingFacts>): ServingFacts => ({
  origin: "http://127.0.0.1:8402",
  baseUrl: "http://127.0.0.1:8402",
  directory: "/srv/data",
  environment: "test",
  shutdownSeconds: 20,
  products: [...uk(null), ...us(null)],
  check: { flags: "--data /srv/data", lacksSettings: false },
  ...changes,
})
const rows = (changes: Partial<ServingFacts>) => summaryText(facts(changes)).split("\n")

test("a server that sells everything has one row for each country, and nothing to mend", () => {
  const found = rows({})
  expect(found[0]).toBe("open         http://127.0.0.1:8402/        what this server answers, prices, keys")
  expect(found.slice(found.indexOf("") + 1)).toEqual([
    "data         /srv/data, for test",
    "sold now     7 US products",
    "             2 UK products",
    "",
    "stop         Ctrl-C; requests in flight have 20 s, and a second Ctrl-C ends at once",
    "",
  ])
})

test("behind a proxy the public origin is named, and the addresses to open stay those of this machine", () => {
  const found = rows({ baseUrl: "https://decisions.example" })
  expect(found).toContain("public       https://decisions.example, the address in signed answers")
  expect(found[0]).toContain(" http://127.0.0.1:8402/ ")
})

test("settings from flags are not repeated, because one may hold a key, but the person learns that check needs them", () => {
  const check = { flags: "--data /srv/data --config /srv/other.toml", lacksSettings: true }
  expect(rows({ check, products: us("PAYMENTS_OFF") }).join("\n")).toContain(
    [
      "             bizauth check --data /srv/data --config /srv/other.toml says how to mend it",
      "             give it the same flags for settings as this server",
    ].join("\n"),
  )
})

describe("what is not sold has its reason, the lists that it lacks, and the command that says how to mend it", () => {
  test.each<[string, readonly ProductNow[], readonly string[]]>([
    [
      "one country",
      [...us(null), ...uk("SOURCE_UNAVAILABLE", [source("UK_COMPANIES_HOUSE", "UNAVAILABLE", null)])],
      [
        "sold now     7 US products",
        "not sold     2 UK products, SOURCE_UNAVAILABLE",
        "               need UK_COMPANIES_HOUSE: missing",
      ],
    ],
    [
      "payments off and a list stale",
      [
        ...us("PAYMENTS_OFF", [source("US_OFAC_SDN", "HEALTHY"), source("US_TRADE_CSL", "STALE")]),
        ...uk("PAYMENTS_OFF"),
      ],
      [
        "not sold     7 US products, PAYMENTS_OFF",
        "               need US_TRADE_CSL: STALE",
        "             2 UK products, PAYMENTS_OFF",
      ],
    ],
    [
      "lists whose bytes cannot be used",
      us("SOURCE_SCHEMA_BREAK", [source("US_OFAC_SDN", "SCHEMA_BREAK"), source("US_TRADE_CSL", "UNAVAILABLE")]),
      [
        "not sold     7 US products, SOURCE_SCHEMA_BREAK",
        "               need US_OFAC_SDN: SCHEMA_BREAK; US_TRADE_CSL: UNAVAILABLE",
      ],
    ],
  ])("%s", (_name, given, expected) => {
    const found = rows({
      products: given,
      directory: "/srv/my data",
      check: { flags: "--data '/srv/my data'", lacksSettings: false },
    })
    const from = found.indexOf("data         /srv/my data, for test") + 1
    expect(found.slice(from, found.indexOf("", from))).toEqual([
      ...expected,
      "             bizauth check --data '/srv/my data' says how to mend it",
    ])
  })
})
