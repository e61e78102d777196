/**
 * Every row that stops a payment has an origin (rulings 90), and no answer is sold for a row that the request or a dead reference fixes. Each
 * such row is provoked over HTTP, before the quote and under a quote from before it came true.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { PRODUCT_IDS } from "../../schemas/products.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { isNeverSold, ORIGINS, type Origin, originsOf } from "../../src/checks/policy/origins.ts"
import { PUBLISHED_POLICIES } from "../../src/products/published-policies.ts"
import { signedUnderEarlierQuote } from "../fixtures/earlier-quote.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { unsold, unsoldWhenPaid } from "../fixtures/unsold.ts"
import { openProvokingServers, PROVOKED_ROWS, type ProvokedRow, rowOf } from "./origin-servers.ts"
import type { ProductServers } from "./product-servers.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(30_000)

const STOPS = ["HOLD", "BLOCK", "INCONCLUSIVE"]
const UNSOLD: readonly Origin[] = ["BODY", "EVIDENCE_ENDED", "OWN_RECORDS"]
const inForce = PUBLISHED_POLICIES.filter(({ isInForce }) => isInForce)

describe("the table of origins", () => {
  test("has a policy of every product, an origin for every row that stops a payment, and none for another row", () => {
    expect(inForce.map(({ product }) => product)).toEqual([...PRODUCT_IDS])
    for (const { document } of inForce) {
      for (const row of document.reasons) {
        const origins = originsOf(row)
        expect([row.code, origins.length > 0]).toEqual([row.code, STOPS.includes(row.outcome)])
      }
    }
    expect(() => originsOf({ code: "A_NEW_REASON", outcome: "HOLD" })).toThrow("A_NEW_REASON has no origin")
    expect(originsOf({ code: "PAYEE_BINDING_WEAK", outcome: "CONDITION" })).toEqual([])
  })

  test("has no code without a row", () => {
    const rows = new Set(inForce.flatMap(({ document }) => document.reasons.map(({ code }) => code)))
    expect(Object.keys(ORIGINS).filter((code) => !rows.has(code))).toEqual([])
  })

  test("is no part of a policy, and ended evidence has a row of uncharged answers", () => {
    for (const { document, uncharged, product } of inForce) {
      expect(Object.keys(document)).not.toContain("origins")
      const ended = document.reasons.filter((row) => originsOf(row).includes("EVIDENCE_ENDED")).map(({ code }) => code)
      const rows = uncharged.filter(({ code }) => ended.includes(code))
      expect([product, rows.map(({ code }) => code).sort()]).toEqual([product, ended.sort()])
      expect(rows.every(({ decision }) => decision === "NO_DECISION")).toBe(true)
    }
    expect(isNeverSold("CHALLENGE_NOT_FRESH")).toBe(true)
    expect(isNeverSold("PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED")).toBe(false)
  })
})

let servers: ProductServers
beforeAll(async () => {
  servers = await openProvokingServers()
})
afterAll(() => servers.close())

test("every row that is never sold is provoked, for each of its origins", () => {
  const expected = inForce.flatMap(({ product, document }) =>
    document.reasons.flatMap((row) =>
      originsOf(row)
        .filter((origin) => UNSOLD.includes(origin))
        .map((origin) => `${product} ${row.code} ${origin}`),
    ),
  )
  const done = [
    ...PROVOKED_ROWS.map(({ product, code, origin }) => `${product} ${code} ${origin}`),
    // A Payment Decision names no authorization to continue, so nobody can take one back.
    `${PAYMENT_DECISION_PRODUCT} PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED OWN_RECORDS`,
  ]
  expect([...new Set(expected)].sort()).toEqual(done.sort())
})

const each = PROVOKED_ROWS.map((row) => [row.product, row.code, row.origin, row] as const)

test.each(each)("%s %s %s is neither quoted nor charged", async (product, code, _origin, row) => {
  const [server] = servers.servers
  const before = await servers.traces()
  const answer = await row.during(server, (purchase) => unsold(server, purchase))
  expect(answer).toMatchObject({ quoted: row.quoted, ...refusalOf(row) })
  if (product !== PAYMENT_DECISION_PRODUCT) expect([code, answer.pointers.length > 0]).toEqual([code, true])
  expect(await servers.traces()).toEqual(before)
})

test.each(each)(
  "%s %s %s is not settled under a quote from before it came true",
  async (product, _code, _origin, row) => {
    const [server] = servers.servers
    const before = await servers.traces()
    const answer = await row.during(server, async (purchase) =>
      unsoldWhenPaid(server, purchase, await signedUnderEarlierQuote(server, rowOf(product), purchase)),
    )
    expect(answer).toMatchObject(refusalOf(row))
    expect(await servers.traces()).toEqual(before)
  },
)

/** The Payment Decision refuses with the code itself. */
function refusalOf({ product, code, status }: ProvokedRow) {
  return product === PAYMENT_DECISION_PRODUCT ? { status, code } : { status, reasons: [code] }
}
