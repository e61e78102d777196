/** A case shows each hit beside the party that was screened: the same name and the same identifiers as the lists were asked for. */
import { describe, expect, test } from "bun:test"
import { caseOf } from "../../src/case/case-of.ts"
import { identifierKeys } from "../../src/checks/us/supplier-identifiers.ts"
import type { JsonValue } from "../../src/core/strict-json.ts"
import { formatInstant } from "../../src/core/time.ts"
import { gatherPayment } from "../../src/products/gb/payment/facts.ts"
import { gbPaymentRules } from "../../src/products/gb/payment/rules.ts"
import { screenedPartiesOf } from "../../src/products/screened-parties.ts"
import { companyCheckRules } from "../../src/products/us/company-check/rules.ts"
import { supplierFacts } from "../../src/products/us/recorded-supplier.ts"
import type { SupplierIdentity } from "../../src/products/us/registered-name.ts"
import { NameIndex } from "../../src/sources/screening/name-index.ts"
import { NO_SUPPRESSIONS } from "../../src/sources/screening/suppress.ts"
import { usBody } from "../fixtures/answers.ts"
import { DECIDED_AT } from "../fixtures/decision.ts"
import { baseAnswerFacts } from "../fixtures/delivered-answer.ts"
import { GB_NUMBER, gbCompany, gbPaymentBody, gbSources, ukListed } from "../fixtures/gb.ts"
import { gbFacts } from "../fixtures/gb-facts.ts"
import { leiFrom } from "../fixtures/lei.ts"
import { blockedParty } from "../fixtures/list-states.ts"
import { registerBoard, registered } from "../fixtures/register-board.ts"

interface Held {
  readonly product: string
  readonly request: object
  readonly facts: object
}

function hitsOf({ product, request, facts }: Held) {
  const answer = { product_or_solution: product, decision: "REVIEW", machine_action: "HOLD_FOR_HUMAN_REVIEW" }
  const [asked, found] = [request, facts].map((one) => JSON.parse(JSON.stringify(one)) as JsonValue)
  return caseOf({ answer, request: asked, facts: found, policy: null })?.hits ?? []
}

/** Name and identifiers of each hit, as the case shows them and as the sale screened them. */
function shownAndScreened(held: Held, index: NameIndex) {
  const shown = hitsOf(held).map(({ screened, compared }) => {
    const name = compared.find(({ what }) => what === "name")?.asked
    return [screened, name, compared.find(({ what }) => what === "identifiers")?.asked ?? null]
  })
  const screened = screenedPartiesOf(held, index).flatMap(({ query: { name, identifiers }, screening }) => {
    const asked = identifiers.map(({ scheme, value }) => `${scheme.toUpperCase()} ${value}`).join(", ")
    return [...screening.hits, ...(screening.suppressed_hits ?? [])].map(() => [name, name, asked || null])
  })
  return { shown, screened }
}

const UEI = "SUPPLYER0001"
const LEI = leiFrom("5493001KJTIIGC8Y1R")
const US_INDEX = new NameIndex({
  snapshotIds: {},
  parties: [
    blockedParty({
      ...{ sourceId: "US_OFAC_SDN", entryId: "90001", list: "SDN", programs: [], line: { file: "x", number: 1 } },
      name: "VOSTOK MERIDIAN TRADING LLC",
      identifiers: [{ scheme: "lei", value: LEI }],
    }),
  ],
})
const RECORDED = registered("GLEIF_LEI", "lei", LEI, "Vostok Meridian LLC")
const OWN = registered("US_SAM_ENTITY", "uei", UEI, "Vostok Meridian Inc")

interface Supplied {
  readonly company: SupplierIdentity
  readonly registers?: readonly ReturnType<typeof registered>[]
  readonly recorded?: readonly string[]
  readonly names?: readonly string[]
}

function usHeld({ company, registers = [], recorded = [], names = [] }: Supplied): Held {
  const request = usBody({ company })
  const board = registerBoard(["US_SAM_ENTITY", "GLEIF_LEI"], registers)
  const known = { identifiers: [...new Set([...identifierKeys(company.identifiers), ...recorded])], names }
  const sources = { index: US_INDEX, registers: board, suppressions: NO_SUPPRESSIONS, at: DECIDED_AT }
  const facts = {
    ...baseAnswerFacts(companyCheckRules.id),
    ...supplierFacts({ ...sources, tolerance: "MEDIUM" }, company, known),
    passport_id: "psp_AAAAAAAAAAAAAAAAAAAAAA",
  }
  return { product: companyCheckRules.id, request, facts }
}

const NEAR = "Vostok Meridian Trading Co"
const SUPPLIERS: readonly (readonly [kind: string, Supplied, hits: number])[] = [
  [
    "a name and identifiers, in any letters and with one that no list knows",
    { company: { legal_name: NEAR, identifiers: { duns: "123456789", uei: UEI.toLowerCase(), LEI } } },
    1,
  ],
  ["no name, a register has one", { company: { identifiers: { uei: UEI } }, registers: [OWN] }, 1],
  [
    "a name, and the records know a listed identifier",
    { company: { legal_name: NEAR, identifiers: { uei: UEI } }, recorded: [`lei:${LEI}`] },
    2,
  ],
  [
    "no name, and the register of a recorded identifier has one",
    { company: { identifiers: { uei: UEI } }, recorded: [`lei:${LEI}`], registers: [RECORDED] },
    1,
  ],
  [
    "no name, and both registers have another one",
    { company: { identifiers: { uei: UEI } }, recorded: [`lei:${LEI}`], registers: [OWN, RECORDED] },
    2,
  ],
  [
    "no name, and only the register of the request has one",
    { company: { identifiers: { uei: UEI } }, recorded: [`lei:${LEI}`], registers: [OWN] },
    2,
  ],
  [
    "another name in the records",
    {
      company: { legal_name: NEAR, identifiers: { uei: UEI } },
      recorded: [`lei:${LEI}`],
      names: ["Vostok Meridian Group"],
    },
    3,
  ],
]

describe("a US supplier with", () => {
  test.each(SUPPLIERS)("%s", (_, supplied, hits) => {
    const { shown, screened } = shownAndScreened(usHeld(supplied), US_INDEX)
    expect(shown).toEqual(screened)
    expect(shown).toHaveLength(hits)
  })
})

async function gbHeld(written: string): Promise<Held & { readonly index: NameIndex }> {
  const name = "AMBER KETTLE LIMITED"
  const listed = ukListed("AMBER KETTLE GROUP", {
    identifiers: [{ scheme: "registration", value: written, country: "GB" }],
  })
  const previous = [{ name: "AMBER KETTLE GROUP LTD", ceased_on: "2020-01-01" }]
  const sources = {
    ...gbSources({
      companies: [gbCompany({ company_name: name, previous_company_names: previous })],
      listed: [listed],
    }),
  }
  const request = gbPaymentBody({ invoice: { company_number: GB_NUMBER, invoice_company_name: "AMBER KETTLE GROUP" } })
  const base = { ...gbFacts(gbPaymentRules.id), at: formatInstant(Date.now()), sources: [] }
  const facts = await gatherPayment(sources, request, base, null)
  return { product: gbPaymentRules.id, request, facts, index: sources.list.index() }
}

describe("a UK company", () => {
  test("whose number is listed: the number was asked for the registered name only", async () => {
    const { index, ...held } = await gbHeld(GB_NUMBER)
    const { shown, screened } = shownAndScreened(held, index)
    expect(shown).toEqual(screened)
    expect(shown.map(([name, , identifiers]) => [name, identifiers])).toEqual([
      ["AMBER KETTLE LIMITED", `REGISTRATION ${GB_NUMBER}`],
      ["AMBER KETTLE GROUP LTD", null],
      ["AMBER KETTLE GROUP", null],
    ])
  })

  test.each([GB_NUMBER, GB_NUMBER.replace(/^0/, "")])("whose number is listed as %s: it agrees", async (written) => {
    const row = hitsOf(await gbHeld(written))[0]?.compared.find(({ what }) => what === "identifiers")
    const [asked, found] = [`REGISTRATION ${GB_NUMBER}`, `REGISTRATION ${written}`]
    expect(row).toMatchObject({ asked, found, result: "SAME" })
  })
})

test("records of another form give a case with less in it", () => {
  const held = usHeld({ company: { identifiers: { uei: UEI } }, recorded: [`lei:${LEI}`], registers: [OWN, RECORDED] })
  const { recorded_supplier: recorded } = held.facts as unknown as { readonly recorded_supplier: object }
  for (const identifiers of [7, null, ["x", 7, "__proto__:1", "constructor:2", ":", "lei:"], {}])
    expect(hitsOf({ ...held, facts: { ...held.facts, recorded_supplier: { ...recorded, identifiers } } })).toHaveLength(
      2,
    )
})
