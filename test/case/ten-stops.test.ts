/**
 * A reader who has only the page of a stopped answer can name the supplier, what it was compared with, the difference, the way out, and who may
 * take it: ten stops of different kinds. Two of them are never sold, so the decision is made here from the facts of a sold one.
 */
import { describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { DeliveryBundle } from "../../schemas/us/delivery-bundle.ts"
import { type JsonValue, readJson } from "../../src/core/strict-json.ts"
import { documentPage } from "../../src/pages/document-page.ts"
import { html } from "../../src/pages/html.ts"
import { describeDocument } from "../../src/pages/views/describe.ts"
import { decide } from "../../src/products/us/payment-decision/decide.ts"
import { PAYMENT_DECISION_POLICIES } from "../../src/products/us/payment-decision/policy.ts"
import { ROOT } from "../fixtures/imports.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)
const DECISION = "decision-gate.release-payment-to-supplier.v1"

function stored<Bundle>(path: string): Bundle {
  return JSON.parse(readFileSync(join(ROOT, "test/corpus/second-build", `${path}.bundle.json`), "utf8"))
}

/** A sold Payment Decision, decided again from other facts. */
function decidedFrom(change: (facts: DeliveryBundle["facts"]) => void): DeliveryBundle {
  const bundle = stored<DeliveryBundle>(`${DECISION}/allow-known-destination`)
  change(bundle.facts)
  const [policy] = PAYMENT_DECISION_POLICIES
  if (!policy) throw new Error("no policy")
  return { ...bundle, delivery: { ...bundle.delivery, ...decide(bundle.request, bundle.facts, policy) } }
}

const revoked = () =>
  decidedFrom((facts) => {
    facts.mandate.state = "REVOKED"
  })
const staleList = () =>
  decidedFrom((facts) => {
    for (const source of facts.sources)
      if (source.source_id === "US_OFAC_SDN") Object.assign(source, { health: "STALE" })
  })

function textOf(bundle: object): { readonly page: string; readonly lines: string } {
  const bytes = new TextEncoder().encode(JSON.stringify(bundle))
  const view = describeDocument(readJson(bytes) as JsonValue, bytes)
  if (!view) throw new Error("not known")
  const page = documentPage(view, {
    title: view.kind,
    hasLinks: true,
    note: html``,
    authenticity: { state: "UNCHECKED" },
  })
  const lines = page.text
    .replaceAll(/<span class="label"[^>]*>[^<]*<\/span>|<wbr>/g, "")
    .replaceAll(/<\/?(?:bdi|span)[^>]*>/g, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
  return { page: page.text, lines }
}

interface Stop {
  readonly kind: string
  readonly bundle: () => object
  readonly headline: string
  readonly supplier: string
  readonly entry: string
  readonly difference: RegExp
  readonly way: string
  readonly who: string
}

const REVIEWER = "Who may: a reviewer of the operator of this service."
const BUYER = "Who may: the buyer."
const NOBODY = "Who may: nobody."
const JUDGE = "bizauth suppressions add --data DIR"

const STOPS: readonly Stop[] = [
  {
    kind: "a similar name",
    bundle: () => stored(`${DECISION}/hold-name-hit`),
    headline: "Do not pay: hold",
    supplier: "Quiet Cove Marine LLC",
    entry: "US_OFAC_SDN:90002, QUIET COVE MARINE OVERSEAS LLC (program RUSSIA-EO14024)",
    difference: /word not asked overseas not asked US_OFAC_SDN/,
    way: JUDGE,
    who: REVIEWER,
  },
  {
    kind: "an identifier",
    bundle: () => stored(`${DECISION}/block-identifier`),
    headline: "Do not pay: stop",
    supplier: "Tidewater Optics Inc",
    entry: "US_SAM_EXCLUSIONS:S-0001, CINDER PEAK ROOFING INC (program RECIPROCAL)",
    difference: /identifiers UEI LSTEDPARTY01 UEI LSTEDPARTY01 agrees/,
    way: "Nobody here can turn this answer into a payment.",
    who: NOBODY,
  },
  {
    kind: "a wallet",
    bundle: () => stored(`${DECISION}/block-wallet`),
    headline: "Do not pay: stop",
    supplier: "Harbor Light Instruments LLC",
    entry: "US_OFAC_SDN:90001, VOSTOK MERIDIAN TRADING LLC (program RUSSIA-EO14024)",
    difference: /wallet of the payee 0x(Ee){20} listed: 90001 differs/,
    way: "Nobody here can turn this answer into a payment.",
    who: NOBODY,
  },
  {
    kind: "another destination",
    bundle: () => stored(`${DECISION}/hold-destination-changed`),
    headline: "Do not pay: hold",
    supplier: "Harbor Light Instruments LLC",
    entry: "last destination of the supplier",
    difference:
      /last destination of the supplier sha256:[0-9a-f]{64} sha256:[0-9a-f]{64} differs records of this service/,
    way: "POST /v1/us/vendors/payment-details/authorize-change",
    who: BUYER,
  },
  {
    kind: "a mandate",
    bundle: revoked,
    headline: "Do not pay: hold",
    supplier: "Harbor Light Instruments LLC",
    entry: "state of the mandate",
    difference: /time of the mandate .* differs mandate .* state of the mandate not asked REVOKED/,
    way: "bizauth agent sign-request",
    who: BUYER,
  },
  {
    kind: "a register",
    bundle: () => stored("us.company.check.v1/review-other-registered-name"),
    headline: "Do not go on: hold",
    supplier: "Harbor Light Instruments LLC",
    entry: "Quiet Meadow Tools LLC",
    difference: /registered name Harbor Light Instruments LLC Quiet Meadow Tools LLC differs US_SAM_ENTITY/,
    way: "bizauth agent quote",
    who: BUYER,
  },
  {
    kind: "a list that is too old",
    bundle: staleList,
    headline: "Do not pay: hold",
    supplier: "Harbor Light Instruments LLC",
    entry: "list US_OFAC_SDN",
    difference: /list US_OFAC_SDN current at \S+ 3 entries, stale, current until \S+ differs US_OFAC_SDN/,
    way: "after the operator imported current lists",
    who: BUYER,
  },
  {
    kind: "a first payment",
    bundle: () => stored(`${DECISION}/hold-first-payment-low-list-aging`),
    headline: "Do not pay: hold",
    supplier: "Harbor Light Instruments LLC",
    entry: "last destination of the supplier",
    difference: /last destination of the supplier sha256:[0-9a-f]{64} not stated not stated/,
    way: "POST /v1/us/invoices/verify-payee",
    who: BUYER,
  },
  {
    kind: "a UK company in insolvency",
    bundle: () => stored("gb.business.payment.authorize.v1/review-insolvency"),
    headline: "Do not pay: hold",
    supplier: "09876543",
    entry: "status of the company",
    difference: /status of the company not asked liquidation not asked UK_COMPANIES_HOUSE/,
    way: "bizauth company NUMBER --data DIR",
    who: BUYER,
  },
  {
    kind: "a change of a vendor's payee",
    bundle: () => stored("gb.vendor.payment_detail_change.authorize.v1/review-challenge-reused"),
    headline: "Do not go on: hold",
    supplier: "HARBOUR LANTERN JOINERY LIMITED",
    entry: "reference of the challenge",
    difference: /reference of the challenge call-\S+ used before differs records of this service/,
    way: "Confirm the change with the supplier once more",
    who: BUYER,
  },
]

describe.each(STOPS.map((stop) => [stop.kind, stop] as const))("a stop by %s", (_, stop) => {
  const { page, lines } = textOf(stop.bundle())

  test("names supplier, entry, difference, way out and who may take it", () => {
    expect(page).toContain(`<h1>${stop.headline}</h1>`)
    for (const words of [stop.supplier, stop.entry, stop.way, stop.who]) expect(lines).toContain(words)
    expect(lines).toMatch(stop.difference)
  })
})
