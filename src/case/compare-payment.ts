/** The payment of the request beside the mandate, earlier answers, known destinations and listed wallets. */
import type { ComparedRow } from "../../schemas/case.ts"
import { obligationKey } from "../checks/obligation.ts"
import { parseAmount } from "../core/money.ts"
import { type CaseParts, compared, differsIfAny, OWN_RECORDS, type RowsOf } from "./compared-row.ts"
import { at, itemsAt, textAt, type Value } from "./members.ts"

const REQUEST = { source: "the request", date: null }
/** Earlier answers about one invoice that a case shows. */
const EARLIER_MAX = 10

export const wallets: RowsOf = ({ request, facts }) =>
  (["payee", "payment_destination"] as const).flatMap((member) => {
    if (at(facts, "wallet_hits") === undefined) return []
    const hit = at(facts, "wallet_hits", member)
    const found = hit === null ? "not a listed wallet" : `listed: ${textAt(hit, "entry_id") ?? "an entry"}`
    const what = member === "payee" ? "wallet of the payee" : "wallet of the destination"
    const source = textAt(hit, "source_id") ?? "the lists of wallets"
    return [compared([what, textAt(request, member, "value"), found], hit === null, { source, date: null })]
  })

/** Earlier answers about this obligation or this document. */
export const obligations: RowsOf = ({ request, facts }) => {
  const obligation = textAt(request, "invoice", "obligation_id")
  const document = textAt(request, "invoice", "document_digest")
  if (obligation === null || facts === undefined) return []
  const key = obligationKey(obligation)
  const earlier = [...itemsAt(facts, "earlier_decisions"), ...itemsAt(facts, "earlier_answers")]
  const related = earlier.filter((one) => isOfSupplier(one) && textAt(one, "obligation_key") === key)
  const reused = earlier.filter((one) => textAt(one, "document_digest") === document && !related.includes(one))
  if (related.length + reused.length === 0)
    return [compared(["invoice", obligation, "not seen before"], true, { source: OWN_RECORDS, date: null })]
  return [...related, ...reused].slice(0, EARLIER_MAX).flatMap((one) => earlierRows(one, { obligation, document, key }))
}

function isOfSupplier(earlier: Value): boolean {
  return at(earlier, "same_supplier") !== false
}

interface GivenInvoice {
  readonly obligation: string
  readonly document: string | null
  readonly key: string
}

function earlierRows(earlier: Value, { obligation, document, key }: GivenInvoice): ComparedRow[] {
  const date = textAt(earlier, "decided_at")
  const origin = { source: OWN_RECORDS, date }
  const isSameInvoice = textAt(earlier, "obligation_key") === key
  const which = isSameInvoice ? "this invoice" : `another invoice (${textAt(earlier, "obligation_key") ?? "unknown"})`
  const decision = textAt(earlier, "decision") ?? textAt(earlier, "product") ?? "an answer"
  const found = `${which}: ${decision} on ${date ?? "an unknown day"}, until ${textAt(earlier, "valid_until") ?? "an unknown time"}`
  const then = textAt(earlier, "document_digest")
  return [
    compared(["invoice", obligation, found], false, origin),
    compared(["document of the invoice", document, then], document === then, origin),
  ]
}

/** What the organization authorized, beside what the request asks for. */
export const authority: RowsOf = (parts) => {
  const { request, facts } = parts
  const mandate = at(request, "buyer_mandate", "payload")
  if (mandate === undefined) return []
  const source = `mandate ${textAt(mandate, "mandate_id") ?? "without an id"}`
  const origin = { source, date: textAt(mandate, "valid_from") }
  const amount = textAt(request, "amount")
  const most = textAt(mandate, "max_payment_amount")
  const currency = textAt(request, "currency")
  const mandated = textAt(mandate, "currency")
  const decidedAt = textAt(facts, "at")
  const from = textAt(mandate, "valid_from")
  const until = textAt(mandate, "valid_until")
  const isWithin = isAtMost(amount, most) && currency === mandated
  const isInTime = !differsIfAny(parts, "MANDATE_NOT_CURRENT")
  return [
    compared(["amount", both(amount, currency), most && `at most ${both(most, mandated)}`], isWithin, origin),
    compared(["time of the mandate", decidedAt, from && until && `${from} to ${until}`], isInTime, origin),
    stateRow("state of the mandate", at(facts, "mandate"), null),
    stateRow("state of the agent's delegation", at(facts, "delegation"), textAt(facts, "delegation", "valid_until")),
    ...instruction(parts),
    ...exposure(parts),
  ]
}

/** A mandate and a delegation count while they are active. */
function stateRow(what: string, record: Value, date: string | null): ComparedRow {
  const state = textAt(record, "state")
  return compared([what, state && "ACTIVE", state], state === "ACTIVE", { source: OWN_RECORDS, date })
}

function both(amount: string | null, currency: string | null): string | null {
  return amount === null ? null : `${amount} ${currency ?? ""}`.trim()
}

/** False where an amount is missing or no amount. */
function isAtMost(amount: string | null, most: string | null): boolean {
  const [one, other] = [parseAmount(amount ?? ""), parseAmount(most ?? "")]
  return one !== null && other !== null && one <= other
}

function instruction(parts: CaseParts): ComparedRow[] {
  if (parts.facts === undefined) return []
  const digest = textAt(parts.request, "payment_instruction_digest")
  const isReused = differsIfAny(parts, "PAYMENT_INSTRUCTION_REUSED")
  const earlier = itemsAt(parts.facts, "earlier_decisions").find(
    (one) => textAt(one, "payment_instruction_digest") === digest,
  )
  const date = textAt(earlier, "decided_at")
  const found = isReused ? `authorized before, on ${date ?? "an unknown day"}` : "not used before"
  return [compared(["payment instruction", digest, found], !isReused, { source: OWN_RECORDS, date })]
}

function exposure(parts: CaseParts): ComparedRow[] {
  if (!differsIfAny(parts, "EXPOSURE_DIFFERS_FROM_AMOUNT")) return []
  const { request } = parts
  const stated = textAt(request, "payment_exposure_usdc_equivalent_atomic")
  const asked = both(textAt(request, "amount"), textAt(request, "currency"))
  return [compared(["exposure", asked, stated && `${stated} millionths of a US dollar`], false, REQUEST)]
}

/** Where the money goes, beside the payee and the last destination of this supplier. */
export const destinations: RowsOf = (parts) => {
  const { request, facts } = parts
  const destination = textAt(request, "payment_destination", "fingerprint")
  if (destination === null) return []
  const payee = textAt(request, "payee", "fingerprint")
  const known = itemsAt(facts, "known_destinations").filter((one) => textAt(one, "basis") !== "PAYEE_VERIFICATION")
  const last = known.toSorted((a, b) => compareText(recordedAt(b), recordedAt(a)))[0]
  const found = textAt(last, "fingerprint")
  const origin = { source: OWN_RECORDS, date: textAt(last, "recorded_at") }
  return [
    compared(["destination and payee", destination, payee], destination === payee, REQUEST),
    compared(["last destination of the supplier", destination, found], destination === found, origin),
    ...itemsAt(facts, "resolved_references").map((one) => reference(one, destination)),
  ]
}

function recordedAt(destination: Value): string {
  return textAt(destination, "recorded_at") ?? ""
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

const REFERENCE_WORDS: Readonly<Record<string, string>> = {
  DECISION: "destination of the earlier decision",
  CHANGE_AUTHORIZATION: "destination of the authorized change",
  PAYEE_VERIFICATION: "destination of the payee verification",
}

function reference(resolved: Value, destination: string): ComparedRow {
  const found = textAt(resolved, "destination_fingerprint")
  const what = REFERENCE_WORDS[textAt(resolved, "kind") ?? ""] ?? "destination of an earlier answer"
  const origin = { source: OWN_RECORDS, date: textAt(resolved, "decided_at") }
  return compared([what, destination, found], found === destination, origin)
}
