/** The gates of an answer: the question of each, its outcome, its reasons, and what it compared. */
import type { CaseGate, CaseReason, ComparedRow } from "../../schemas/case.ts"
import { GateOutcome } from "../../schemas/us/decision-response.ts"
import { worstOutcome } from "../checks/policy/judge-gates.ts"
import { lists, registrations, ukInvoice, ukRegister } from "./compare-company.ts"
import { payeeBinding, payeeChange, payeeNumber, priorAuthorization, supplierApproval } from "./compare-evidence.ts"
import { authority, destinations, obligations, wallets } from "./compare-payment.ts"
import type { CaseParts, RowsOf } from "./compared-row.ts"
import { screenedNames } from "./hits.ts"
import { itemsAt, textAt, textsAt, type Value } from "./members.ts"

interface GateWords {
  readonly gate: string
  readonly title: string
  readonly rows: readonly RowsOf[]
}

/** Every gate of every product, in the order in which a person asks. */
const GATES: readonly GateWords[] = [
  { gate: "COMPANY_IDENTITY", title: "Is the company registered under this name?", rows: [registrations] },
  { gate: "SUPPLIER", title: "Is the company active, and on no list?", rows: [ukRegister, screenedNames, lists] },
  { gate: "RESTRICTED_PARTY", title: "Is the company on a list of restricted parties?", rows: [screenedNames, lists] },
  { gate: "INVOICE", title: "Does the invoice name this company?", rows: [ukInvoice] },
  { gate: "INVOICE_PAYEE", title: "Is the wallet unlisted, and the invoice new?", rows: [wallets, obligations] },
  { gate: "PAYEE_BINDING", title: "Does the payee belong to the company?", rows: [payeeBinding] },
  { gate: "PAYEE", title: "Does the payee belong to the company?", rows: [payeeNumber, payeeBinding, payeeChange] },
  { gate: "SUPPLIER_APPROVAL", title: "Was this supplier approved?", rows: [supplierApproval] },
  { gate: "PAYMENT_AUTHORITY", title: "Did the organization authorize this payment?", rows: [authority] },
  { gate: "VENDOR_CHANGE", title: "Did the destination of the money change?", rows: [destinations, payeeChange] },
  { gate: "CONTINUATION", title: "Do earlier authorizations still hold?", rows: [priorAuthorization] },
]

/** `known`: the gates of the policy. Without a policy, those that the answer names. */
export function gatesOf(
  parts: CaseParts,
  reasons: readonly CaseReason[],
  known: ReadonlySet<string> | null,
): CaseGate[] {
  const executed = new Map(
    itemsAt(parts.answer, "checks_executed").map((check) => [textAt(check, "check_id") ?? "", check]),
  )
  const waived = new Set(itemsAt(parts.answer, "checks_waived").map((check) => textAt(check, "check_id")))
  return GATES.filter(({ gate }) => known?.has(gate) ?? (executed.has(gate) || waived.has(gate))).map(
    ({ gate, title, rows }) => {
      const own = reasons.filter((reason) => reason.gate === gate)
      const check = executed.get(gate)
      return {
        gate,
        title,
        outcome: waived.has(gate) ? "NOT_RUN" : (statedOutcome(check) ?? worstOutcome(own.flatMap(outcomeOf))),
        reasons: check === undefined ? own.map(({ code }) => code) : [...textsAt(check, "reason_codes")],
        compared: comparedBy(rows, parts),
      }
    },
  )
}

function comparedBy(rows: readonly RowsOf[], parts: CaseParts): ComparedRow[] {
  return rows.flatMap((rowsOf) => rowsOf(parts)).filter(({ asked, found }) => asked !== null || found !== null)
}

function statedOutcome(check: Value): GateOutcome | null {
  const stated = textAt(check, "outcome")
  return isOutcome(stated) ? stated : null
}

function outcomeOf({ outcome }: CaseReason): GateOutcome[] {
  return isOutcome(outcome) ? [outcome] : []
}

const OUTCOMES: readonly string[] = GateOutcome.anyOf.map((one) => one.const)

function isOutcome(text: string | null): text is GateOutcome {
  return text !== null && OUTCOMES.includes(text)
}
