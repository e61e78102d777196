/** What `answers list` reads from its flags: the values that the answers have, and the part of the list. */
import { PRODUCT_IDS } from "../../../schemas/products.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { isIdentifierKind } from "../../checks/us/supplier-identifiers.ts"
import { formatInstant, parseInstant } from "../../core/time.ts"
import { PRODUCTS } from "../../products/products.ts"
import { ukCompaniesHouse } from "../../sources/publishers/uk-companies-house/bulk-adapter.ts"
import { partyKeys } from "../../store/sales/party-keys.ts"
import type { SoldFilter, SoldPlace, SoldRange } from "../../store/sales/sold-pages.ts"
import type { Flag, Input } from "../command.ts"
import { oneOf } from "../one-of.ts"
import { identifierOf } from "../screening/screened-party.ts"

const LIMIT = 100
/** Answers that one list has. */
const LISTED_MAX = 1_000

/** After every answer. */
const NEWEST: SoldPlace = { soldAt: "~", seq: 0 }

const DECISIONS = [...new Set(PRODUCTS.flatMap(({ outcomes }) => Object.values(outcomes).map((one) => one.decision)))]

export const FILTER_FLAGS = {
  since: { help: "only answers from this time on, RFC 3339 or a day in UTC", value: "TIME" },
  until: { help: "only answers before this time, RFC 3339 or a day in UTC", value: "TIME" },
  payer: { help: "only answers that this wallet paid for", value: "ADDRESS" },
  tx: { help: "only answers that this transaction paid for, or whose job it funded", value: "HASH" },
  product: { help: "only answers of this product", value: "ID" },
  decision: { help: `only answers with this decision: ${DECISIONS.join(", ")}`, value: "WORD" },
  supplier: {
    help: "only answers about this company: its whole name, as asked or registered, or an identifier as lei:…, uei:…, cage:…, cik:…, ein:… or company:… (a number of Companies House)",
    value: "NAME",
  },
  after: { help: "go on after the last answer of an earlier list: the cursor that it printed", value: "CURSOR" },
  limit: { help: `answers to list, 1 to ${LISTED_MAX} (default ${LIMIT})`, value: "NUMBER" },
} as const satisfies Record<string, Flag>

/** Exits with 2 for a value that no answer can have. */
export function readFilter(input: Input): SoldFilter {
  return {
    payer: hexadecimal(input, "payer", 40),
    tx: hexadecimal(input, "tx", 64),
    product: oneOf(input, "product", PRODUCT_IDS),
    decision: oneOf(input, "decision", DECISIONS),
    partyKey: readSupplier(input.text("supplier")),
  }
}

export function readRange(input: Input): SoldRange {
  const since = readTime(input, "since")
  const until = readTime(input, "until")
  const after = readCursor(input.text("after"))
  const before: SoldPlace = until === null ? NEWEST : { soldAt: until, seq: 0 }
  return {
    since: since ?? "",
    before: after !== null && isOlder(after, before) ? after : before,
    limit: readLimit(input),
  }
}

function isOlder(one: SoldPlace, other: SoldPlace): boolean {
  return one.soldAt < other.soldAt || (one.soldAt === other.soldAt && one.seq < other.seq)
}

/** The form in which the list names a place. */
export function cursorText({ soldAt, seq }: SoldPlace): string {
  return `${soldAt}/${seq}`
}

function readCursor(text: string | undefined): SoldPlace | null {
  if (text === undefined) return null
  const [, time = "", number = ""] = /^(.{24})\/(\d{1,15})$/.exec(text) ?? []
  const at = parseInstant(time)
  if (at === null || formatInstant(at) !== time) {
    throw usage("--after is the cursor that an earlier list printed, such as 2026-11-20T08:00:00.000Z/17")
  }
  return { soldAt: time, seq: Number(number) }
}

function readTime(input: Input, flag: "since" | "until"): string | null {
  const text = input.text(flag)
  if (text === undefined) return null
  const at = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  if (at === null) throw usage(`--${flag} is an RFC 3339 time or a day, such as 2026-11-20T08:00:00Z or 2026-11-20`)
  return formatInstant(at)
}

function readLimit(input: Input): number {
  const text = input.text("limit") ?? String(LIMIT)
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= LISTED_MAX) return limit
  throw usage(`--limit is a number from 1 to ${LISTED_MAX}; --after goes on where a list ended`)
}

function hexadecimal(input: Input, flag: "payer" | "tx", digits: number): string | null {
  const text = input.text(flag)
  if (text === undefined) return null
  if (new RegExp(`^0x[0-9a-fA-F]{${digits}}$`).test(text)) return text.toLowerCase()
  throw usage(`--${flag} is 0x and ${digits} hexadecimal digits`)
}

/** A name with a colon is a name, unless a scheme is before the colon. */
function readSupplier(text: string | undefined): string | null {
  if (text === undefined) return null
  const [, scheme = "", value = ""] = /^([a-z]+):(.*)$/s.exec(text.trim()) ?? []
  const party =
    scheme === "company" || isIdentifierKind(scheme)
      ? { names: [], identifiers: [identifierText(scheme, value)] }
      : { names: [text], identifiers: [] }
  const [key] = partyKeys(party)
  if (key === undefined) throw usage("--supplier is a name with a letter or digit, or an identifier such as lei:…")
  return key
}

function identifierText(scheme: string, value: string): string {
  if (scheme !== "company") return `${scheme}:${identifierOf(scheme, value).value}`
  const number = ukCompaniesHouse.canonicalKey("number", value.trim())
  if (number === null) throw usage("company is a number of Companies House: 8 characters, such as 00006400 or SC123456")
  return `company:${number}`
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
