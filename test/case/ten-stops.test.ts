/**
 * A reader who has only one view of a stopped answer can name the supplier, what it was compared with, the difference, the way out, and who may
 * take it: ten stops of different kinds, in each view. Two of them are never sold, so the decision is made here from the facts of a sold one.
 */
import { describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { DeliveryBundle } from "../../schemas/us/delivery-bundle.ts"
import { instant, SECOND } from "../../src/core/time.ts"
import { documentPage } from "../../src/pages/document-page.ts"
import { html } from "../../src/pages/html.ts"
import { deliveredView } from "../../src/pages/views/answer-view.ts"
import { ISSUER } from "../corpus/build-list.ts"
import { folderOf } from "../corpus/stored-bundle.ts"
import { deliveredDecision, issuerJwks, issuerKey } from "../fixtures/decision.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { type Given, unwrapped, viewsOf, wordsOf } from "./views-of.ts"

const test = slowTests(import.meta.path)
const DECISION = "decision-gate.release-payment-to-supplier.v1"
const FOLDER = folderOf("second-build")

/** A sold answer, a second after its sale. */
function stored(path: string): Given {
  const document = new Uint8Array(readFileSync(join(FOLDER, `${path}.bundle.json`)))
  const { delivery, answer } = JSON.parse(new TextDecoder().decode(document))
  const now = instant((delivery ?? answer).valid_as_of) + SECOND
  return { document, issuer: readFileSync(join(FOLDER, ISSUER)), now }
}

/** A sold Payment Decision, decided again from other facts and sealed again. */
function decidedFrom(change: (facts: DeliveryBundle["facts"]) => void): Given {
  const given = stored(`${DECISION}/allow-known-destination`)
  const { request, facts } = JSON.parse(new TextDecoder().decode(given.document)) as DeliveryBundle
  change(facts)
  const { bundle } = deliveredDecision(request, { ...facts, issuer: issuerKey.issuer })
  return { ...given, document: bundle, issuer: JSON.stringify(issuerJwks()) }
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

interface Stop {
  readonly kind: string
  readonly given: () => Given
  readonly headline: string
  readonly supplier: string
  readonly entry: string
  /** On a page. */
  readonly difference: RegExp
  /** In a text. */
  readonly printed: RegExp
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
    given: () => stored(`${DECISION}/hold-name-hit`),
    headline: "Do not pay: hold",
    supplier: "Quiet Cove Marine LLC",
    entry: "US_OFAC_SDN:90002, QUIET COVE MARINE OVERSEAS LLC (program RUSSIA-EO14024)",
    difference: /word not asked overseas not asked US_OFAC_SDN/,
    printed: /not asked word: found overseas \(US_OFAC_SDN, /,
    way: JUDGE,
    who: REVIEWER,
  },
  {
    kind: "an identifier",
    given: () => stored(`${DECISION}/block-identifier`),
    headline: "Do not pay: stop",
    supplier: "Tidewater Optics Inc",
    entry: "US_SAM_EXCLUSIONS:S-0001, CINDER PEAK ROOFING INC (program RECIPROCAL)",
    difference: /identifiers UEI LSTEDPARTY01 UEI LSTEDPARTY01 agrees/,
    printed: /agrees identifiers: asked UEI LSTEDPARTY01; found UEI LSTEDPARTY01 \(/,
    way: "Nobody here can turn this answer into a payment.",
    who: NOBODY,
  },
  {
    kind: "a wallet",
    given: () => stored(`${DECISION}/block-wallet`),
    headline: "Do not pay: stop",
    supplier: "Harbor Light Instruments LLC",
    entry: "US_OFAC_SDN:90001, VOSTOK MERIDIAN TRADING LLC (program RUSSIA-EO14024)",
    difference: /wallet of the payee 0x(Ee){20} listed: 90001 differs/,
    printed: /differs wallet of the payee: asked 0x(Ee){20}; found listed: 90001 \(US_OFAC_SDN\)/,
    way: "Nobody here can turn this answer into a payment.",
    who: NOBODY,
  },
  {
    kind: "another destination",
    given: () => stored(`${DECISION}/hold-destination-changed`),
    headline: "Do not pay: hold",
    supplier: "Harbor Light Instruments LLC",
    entry: "last destination of the supplier",
    difference:
      /last destination of the supplier sha256:[0-9a-f]{64} sha256:[0-9a-f]{64} differs records of this service/,
    printed:
      /differs last destination of the supplier: asked sha256:[0-9a-f]{64}; found sha256:[0-9a-f]{64} \(records of this service, /,
    way: "POST /v1/us/vendors/payment-details/authorize-change",
    who: BUYER,
  },
  {
    kind: "a mandate",
    given: revoked,
    headline: "Do not pay: hold",
    supplier: "Harbor Light Instruments LLC",
    entry: "state of the mandate",
    difference: /state of the mandate ACTIVE REVOKED differs records of this service/,
    printed: /differs state of the mandate: asked ACTIVE; found REVOKED \(records of this service\)/,
    way: "bizauth agent sign-request",
    who: BUYER,
  },
  {
    kind: "a register",
    given: () => stored("us.company.check.v1/review-other-registered-name"),
    headline: "Do not go on: hold",
    supplier: "Harbor Light Instruments LLC",
    entry: "Quiet Meadow Tools LLC",
    difference: /registered name Harbor Light Instruments LLC Quiet Meadow Tools LLC differs US_SAM_ENTITY/,
    printed:
      /differs registered name: asked Harbor Light Instruments LLC; found Quiet Meadow Tools LLC \(US_SAM_ENTITY, /,
    way: "bizauth agent quote",
    who: BUYER,
  },
  {
    kind: "a list that is too old",
    given: staleList,
    headline: "Do not pay: hold",
    supplier: "Harbor Light Instruments LLC",
    entry: "list US_OFAC_SDN",
    difference: /list US_OFAC_SDN current at \S+ 3 entries, stale, current until \S+ differs US_OFAC_SDN/,
    printed:
      /differs list US_OFAC_SDN: asked current at \S+; found 3 entries, stale, current until \S+ \(US_OFAC_SDN, /,
    way: "after the operator imported current lists",
    who: BUYER,
  },
  {
    kind: "a first payment",
    given: () => stored(`${DECISION}/hold-first-payment-low-list-aging`),
    headline: "Do not pay: hold",
    supplier: "Harbor Light Instruments LLC",
    entry: "last destination of the supplier",
    difference: /last destination of the supplier sha256:[0-9a-f]{64} not stated not stated/,
    printed: /not stated last destination of the supplier: asked sha256:[0-9a-f]{64} \(records of this service\)/,
    way: "POST /v1/us/invoices/verify-payee",
    who: BUYER,
  },
  {
    kind: "a UK company in insolvency",
    given: () => stored("gb.business.payment.authorize.v1/review-insolvency"),
    headline: "Do not pay: hold",
    supplier: "09876543",
    entry: "status of the company",
    difference: /status of the company not asked liquidation not asked UK_COMPANIES_HOUSE/,
    printed: /not asked status of the company: found liquidation \(UK_COMPANIES_HOUSE, /,
    way: "bizauth agent quote",
    who: BUYER,
  },
  {
    kind: "a change of a vendor's payee",
    given: () => stored("gb.vendor.payment_detail_change.authorize.v1/review-challenge-reused"),
    headline: "Do not go on: hold",
    supplier: "HARBOUR LANTERN JOINERY LIMITED",
    entry: "reference of the challenge",
    difference: /reference of the challenge call-\S+ used before differs records of this service/,
    printed: /differs reference of the challenge: asked call-\S+; found used before \(records of this service/,
    way: "Confirm the change with the supplier once more",
    who: BUYER,
  },
]

/** The page of a delivered answer. A Payment Decision has none. */
function deliveryPage({ document, now }: Given): string | null {
  const { answer, request, facts } = JSON.parse(new TextDecoder().decode(document))
  if (answer === undefined) return null
  const view = deliveredView({ answer, request, facts, environment: "test" })
  const authenticity = { state: "ISSUED", now } as const
  return documentPage(view, { title: "Delivered answer", hasLinks: true, note: html``, authenticity }).text
}

describe.each(STOPS.map((stop) => [stop.kind, stop] as const))("a stop by %s", async (_, stop) => {
  const given = stop.given()
  const { showPage, showText, verifyPage, verifyText, verifyJson, page } = await viewsOf(given)
  const delivered = deliveryPage(given)
  const pages = [
    ["the page of show", wordsOf(showPage)],
    ["the page /verify", wordsOf(verifyPage)],
    ...(delivered === null ? [] : [["the page /deliveries", wordsOf(delivered)] as const]),
  ] as const
  const texts = [
    ["the text of show", unwrapped(showText)],
    ["the text of verify", unwrapped(verifyText)],
  ] as const

  test("was verified: its headline is the first line of every view", () => {
    expect([verifyJson.genuine, verifyJson.current, verifyJson.headline]).toEqual(["GENUINE", "CURRENT", stop.headline])
    expect(page.headline?.words).toBe(stop.headline)
    expect(verifyText).toStartWith(`${stop.headline}\nGENUINE: `)
    expect(showPage).toContain(`<h1>${stop.headline}</h1>`)
    expect(verifyPage).toContain(`<h2>${stop.headline}</h2>`)
    if (delivered !== null) expect(delivered).toContain(`<h1>${stop.headline}</h1>`)
  })

  test.each([...pages, ...texts])("%s names supplier, entry, way out and who may take it", (_name, lines) => {
    for (const words of [stop.supplier, stop.entry, stop.way, stop.who]) expect(lines).toContain(words)
  })

  test.each(pages)("%s shows the difference", (_name, lines) => {
    expect(lines).toMatch(stop.difference)
  })

  test.each(texts)("%s prints the difference", (_name, lines) => {
    expect(lines).toMatch(stop.printed)
  })
})
