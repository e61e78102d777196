/** The two UK products of the corpus, with the monthly file and with a live register on this machine. */
import type { GbPaymentRequest } from "../../schemas/gb/payment.ts"
import type { GbVendorChangeRequest } from "../../schemas/gb/vendor-change.ts"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import { gbPaymentRules } from "../../src/products/gb/payment/rules.ts"
import { gbVendorChangeRules } from "../../src/products/gb/vendor-change/rules.ts"
import { openRestClient } from "../../src/sources/publishers/uk-companies-house/rest-client.ts"
import {
  binding,
  challenge,
  GB_NAME,
  GB_NUMBER,
  GB_OTHER_PAYEE,
  GB_PAYEE,
  type GbTestServer,
  gbChangeBody,
  gbCompany,
  gbHeaders,
  gbPaymentBody,
  gbSources,
} from "../../test/fixtures/gb.ts"
import {
  companiesHouse,
  json,
  profile,
  type Reply,
} from "../../test/sources/publishers/uk-companies-house/rest-test-client.ts"
import { casesOf, PASSED } from "./case.ts"
import type { Bought, CorpusServer } from "./corpus-server.ts"
import type { UkLists } from "./lists.ts"

/** No company of the file has this number. */
const UNKNOWN = "00000099"

interface Purchase {
  readonly path: string
  /** A request of any UK product. */
  readonly body: { readonly idempotency_key: string; readonly [member: string]: unknown }
}

/** `uk`: the list in use. The other members say what the register has. */
interface UkSources extends Omit<GbTestServer, "listed" | "listState"> {
  readonly uk?: UkLists
}

function buy(server: CorpusServer, { path, body }: Purchase, sources: UkSources = {}): Promise<Bought> {
  const { uk = "USUAL", ...register } = sources
  return server.within({ uk, gb: gbSources(register) }, () => server.buy(path, body, undefined, gbHeaders(body)))
}

const payment = (changes: Partial<GbPaymentRequest> = {}) => ({
  path: gbPaymentRules.path,
  body: gbPaymentBody(changes),
})

const pay =
  (changes: () => Partial<GbPaymentRequest> = () => ({}), sources: UkSources = {}) =>
  (server: CorpusServer) =>
    buy(server, payment(changes()), sources)

const boundBy = (evidence: Parameters<typeof binding>[0]) => ({
  payee: { company_number: GB_NUMBER, payee_fingerprint: GB_PAYEE, binding_evidence: binding(evidence) },
})
const invoicedBy = (invoice_company_name: string) => ({
  invoice: { company_number: GB_NUMBER, invoice_company_name },
})

/** Uses a register on this machine that replies with `reply`, in addition to the monthly file. */
const payLive =
  (reply: Reply, changes: () => Partial<GbPaymentRequest> = () => ({})) =>
  async (server: CorpusServer) => {
    await using register = companiesHouse(reply)
    const live = openRestClient({
      store: server.store,
      machine: realMachine,
      log: createLog("error", () => {}, realMachine.now),
      service: { baseUrl: register.url, key: "no-secret", timeoutMs: 5000 },
      requestsMax: 600,
    })
    return await buy(server, payment(changes()), { live })
  }

const notFound = json({ errors: [{ error: "company-profile-not-found", type: "ch:service" }] }, { status: 404 })
const silent: Reply = () => new Response("down", { status: 500 })
const livesAs = (changes: Record<string, unknown> = {}) =>
  json(
    profile({
      company_name: GB_NAME,
      company_number: GB_NUMBER,
      links: { self: `/company/${GB_NUMBER}` },
      confirmation_statement: { next_due: "2030-03-18", next_made_up_to: "2030-03-04", overdue: false },
      accounts: { next_due: "2030-09-30", overdue: false },
      ...changes,
    }),
  )
const unknownNumber = (company_number: string) => ({
  company_number,
  supplier: { company_number, policy_id: "GB_BUSINESS_PAYMENT_V1" as const },
  invoice: { company_number, invoice_company_name: "Harbour Lantern Joinery Ltd" },
  payee: { company_number, payee_fingerprint: GB_PAYEE, binding_evidence: binding() },
})

/** A challenge must be later than the authorization before it. */
const later = () => challenge({ verified_at: formatInstant(Date.now()) })

/** A payment to the current payee, authorized before the change. */
async function authorizedPayment(server: CorpusServer): Promise<string> {
  return (await buy(server, payment())).id
}

const change =
  (changes: () => Partial<GbVendorChangeRequest> = () => ({}), sources: UkSources = {}) =>
  async (server: CorpusServer) =>
    buy(server, { path: gbVendorChangeRules.path, body: await changeBody(server, changes()) }, sources)

async function changeBody(server: CorpusServer, changes: Partial<GbVendorChangeRequest> = {}) {
  const prior_authorization_reference = await authorizedPayment(server)
  return gbChangeBody({ prior_authorization_reference, challenge: later(), ...changes })
}

/** A change that is not sold. The money had moved, so an answer is delivered. */
async function changeMoved(server: CorpusServer, changes: Partial<GbVendorChangeRequest>): Promise<Bought> {
  const body = await changeBody(server, changes)
  return server.buyMoved(gbVendorChangeRules, body, gbHeaders(body))
}

export const GB_CASES = [
  ...casesOf(gbPaymentRules.id, {
    APPROVE: [
      ["file", PASSED, "The monthly file has the company; a token is issued.", pay()],
      ["file-aging", PASSED, "The monthly file is AGING.", pay(undefined, { registerState: { freshness: "AGING" } })],
      ["live", PASSED, "The live register has the company.", payLive(livesAs())],
      ["live-silent", PASSED, "The live register gives no answer, the monthly file does.", payLive(silent)],
      ["list-aging", PASSED, "The sanctions list is AGING.", pay(undefined, { uk: "AGING" })],
      [
        "changed-payee",
        PASSED,
        "The payment goes to a new payee, with a challenge.",
        async (server) => {
          const prior_authorization_reference = await authorizedPayment(server)
          return pay(() => ({
            payee: { company_number: GB_NUMBER, payee_fingerprint: GB_OTHER_PAYEE, binding_evidence: binding() },
            vendor_change: {
              current_payee_fingerprint: GB_PAYEE,
              proposed_payee_fingerprint: GB_OTHER_PAYEE,
              prior_authorization_reference,
              challenge: later(),
            },
          }))(server)
        },
      ],
    ],
    CONDITIONAL: [
      [
        "weak-binding",
        "PAYEE_BINDING_WEAK",
        "Only the supplier's own statement binds the payee; a token is issued.",
        pay(() => boundBy({ type: "SUPPLIER_STATEMENT" })),
      ],
      [
        "previous-name",
        "INVOICE_NAME_IS_PREVIOUS_NAME",
        "The live register knows the invoice's name as a previous one.",
        payLive(livesAs(), () => invoicedBy("Older Name Ltd")),
      ],
      [
        "accounts-overdue",
        "ACCOUNTS_OVERDUE",
        "The register says that accounts are overdue.",
        pay(undefined, { companies: [gbCompany({ accounts_overdue: true })] }),
      ],
    ],
    REVIEW: [
      [
        "not-in-file",
        "COMPANY_NOT_IN_MONTHLY_FILE",
        "The monthly file does not have the number.",
        pay(() => unknownNumber(UNKNOWN)),
      ],
      [
        "other-invoice-name",
        "INVOICE_NAME_MISMATCH",
        "The invoice has another name; NO_TOKEN_ISSUED.",
        pay(() => invoicedBy("Quill & Marrow Ltd")),
      ],
      [
        "insolvency",
        "COMPANY_IN_INSOLVENCY",
        "The company is in liquidation.",
        pay(undefined, { companies: [gbCompany({ company_status: "liquidation" })] }),
      ],
      ["name-hit", "SANCTIONS_POSSIBLE_MATCH", "The name is like a listed one.", pay(undefined, { uk: "SIMILAR" })],
      [
        "removed-entry",
        "SANCTIONS_POSSIBLE_MATCH",
        "The name left the list within the last 30 days, and is still screened.",
        pay(undefined, { uk: "REMOVED" }),
      ],
    ],
    BLOCK: [
      ["name", "SANCTIONS_MATCH", "The company's name is on the UK list.", pay(undefined, { uk: "MATCH" })],
      [
        "not-in-live-register",
        "COMPANY_NOT_REGISTERED",
        "The live register answers 404.",
        payLive(notFound, () => unknownNumber(UNKNOWN)),
      ],
    ],
  }),
  ...casesOf(gbVendorChangeRules.id, {
    APPROVE: [
      ["file", PASSED, "The payee of now was authorized before; a token is issued.", change()],
      ["list-aging", PASSED, "The sanctions list is AGING.", change(undefined, { uk: "AGING" })],
    ],
    CONDITIONAL: [
      [
        "recently-incorporated",
        "RECENTLY_INCORPORATED",
        "The company is ten days old; a token is issued.",
        change(undefined, {
          companies: [gbCompany({ date_of_creation: formatInstant(Date.now() - 10 * DAY).slice(0, 10) })],
        }),
      ],
    ],
    REVIEW: [
      [
        "prior-not-found",
        "PRIOR_AUTHORIZATION_NOT_FOUND",
        "The reference names no authorization, and the money had moved; NO_TOKEN_ISSUED.",
        (server) => changeMoved(server, { prior_authorization_reference: "letter of 3 May" }),
      ],
      [
        "not-in-file",
        "COMPANY_NOT_IN_MONTHLY_FILE",
        "The monthly file does not have the number.",
        change(undefined, { companies: [] }),
      ],
      [
        "challenge-reused",
        "CHALLENGE_REUSED",
        "The challenge was shown before, and the money had moved.",
        async (server) => {
          const body = await changeBody(server)
          await buy(server, { path: gbVendorChangeRules.path, body })
          return changeMoved(server, { challenge: { ...later(), reference: body.challenge.reference } })
        },
      ],
    ],
    BLOCK: [["name", "SANCTIONS_MATCH", "The company's name is on the UK list.", change(undefined, { uk: "MATCH" })]],
  }),
]
