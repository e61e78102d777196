/** The caller's evidence and the earlier answers that the request names, beside what this service knows of them. */
import type { ComparedRow } from "../../schemas/case.ts"
import { type CaseParts, compared, differsIfAny, OWN_RECORDS, type RowsOf, unasked } from "./compared-row.ts"
import { at, itemsAt, textAt, type Value } from "./members.ts"

const CALLER = "evidence of the caller"

/** The evidence that binds the payee to the company. The policy knows how old it may be, so the codes of the answer say whether it holds. */
export const payeeBinding: RowsOf = (parts) => {
  const { request } = parts
  const binding = at(request, "binding_evidence") ?? at(request, "payee", "binding_evidence")
  if (binding === undefined) return []
  const faults = ["EXPIRED", "NOT_YET_VALID", "TOO_OLD", "WEAK"].map((fault) => `PAYEE_BINDING_${fault}`)
  const origin = { source: CALLER, date: textAt(binding, "verified_at") }
  return [evidenceRow("evidence about the payee", binding, { parts, faults, origin })]
}

interface EvidenceTerms {
  readonly parts: CaseParts
  readonly faults: readonly string[]
  readonly origin: { readonly source: string; readonly date: string | null }
}

function evidenceRow(what: string, evidence: Value, { parts, faults, origin }: EvidenceTerms): ComparedRow {
  const decidedAt = textAt(parts.facts, "at")
  const end = textAt(evidence, "valid_until")
  const found = `${textAt(evidence, "type") ?? "evidence"}, verified ${origin.date ?? "at an unknown time"}, until ${end ?? "an unknown time"}`
  return compared([what, decidedAt && `current at ${decidedAt}`, found], !differsIfAny(parts, ...faults), origin)
}

/** UK: the number of the payee beside that of the company. */
export const payeeNumber: RowsOf = ({ request }) => {
  const own = textAt(request, "payee", "company_number")
  const number = textAt(request, "company_number")
  if (own === null) return []
  return [compared(["number of the payee", own, number], own === number, { source: "the request", date: null })]
}

/** A change of payee: the earlier authorization that it names, and the challenge. */
export const payeeChange: RowsOf = (parts) => {
  const { request, facts } = parts
  const change = at(request, "challenge") === undefined ? at(request, "vendor_change") : request
  const challenge = at(change, "challenge")
  if (challenge === undefined) return []
  const prior = at(facts, "change", "prior_authorization")
  const origin = { source: OWN_RECORDS, date: textAt(prior, "decided_at") }
  const current = textAt(change, "current_payee_fingerprint")
  const before = textAt(prior, "payee_fingerprint")
  const isReused = at(facts, "change", "challenge_reused") === true
  return [
    named(change, prior, !differsIfAny(parts, "PRIOR_AUTHORIZATION_NOT_FOUND", "PRIOR_AUTHORIZATION_DIFFERS")),
    compared(["present payee", current, before], current === before, origin),
    unasked("proposed payee", textAt(change, "proposed_payee_fingerprint"), { source: "the request", date: null }),
    evidenceRow("challenge", challenge, {
      parts,
      faults: ["CHALLENGE_NOT_FRESH", "CHALLENGE_EXPIRED"],
      origin: { source: CALLER, date: textAt(challenge, "verified_at") },
    }),
    ...(facts === undefined
      ? []
      : [
          compared(
            [
              "reference of the challenge",
              textAt(challenge, "reference"),
              isReused ? "used before" : "not used before",
            ],
            !isReused,
            { source: OWN_RECORDS, date: null },
          ),
        ]),
  ]
}

/** The earlier answer that the request names. `holds`: the answer found no fault in it. */
function named(asked: Value, prior: Value, holds: boolean): ComparedRow {
  const product = textAt(prior, "product")
  const found = product && `${product}, decided ${textAt(prior, "decided_at") ?? "at an unknown time"}`
  const origin = { source: OWN_RECORDS, date: textAt(prior, "decided_at") }
  return compared(["earlier authorization", textAt(asked, "prior_authorization_reference"), found], holds, origin)
}

/** An earlier authorization against today's lists: one that the request names, or the last one of this supplier. */
export const priorAuthorization: RowsOf = (parts) => {
  const { request, answer, facts } = parts
  const prior = at(facts, "prior_authorization")
  const holds = !differsIfAny(
    parts,
    "PRIOR_AUTHORIZATION_NOT_FOUND",
    "PRIOR_AUTHORIZATION_DIFFERS",
    "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED",
  )
  const changes = itemsAt(answer, "result", "changed_since").map(changed)
  if (textAt(request, "prior_authorization_reference") !== null) return [named(request, prior, holds), ...changes]
  if (prior === null || prior === undefined) return []
  const origin = { source: OWN_RECORDS, date: textAt(prior, "decided_at") }
  return [
    unasked("last authorization of the supplier", textAt(prior, "decision_id"), origin),
    compared(["it, against today's lists", "CLEAR", textAt(prior, "screening", "state")], holds, origin),
    ...changes,
  ]
}

function changed(change: Value): ComparedRow {
  const what = `since then: ${(textAt(change, "what") ?? "a difference").toLowerCase().replaceAll("_", " ")}`
  const pair = [what, textAt(change, "before"), textAt(change, "after")] as const
  return compared(pair, false, { source: textAt(change, "source_id"), date: null })
}

export const supplierApproval: RowsOf = (parts) => {
  const approval = at(parts.facts, "supplier_approval")
  const decision = textAt(approval, "decision")
  const end = textAt(approval, "valid_until")
  const found = decision && `${decision}, until ${end ?? "an unknown time"}`
  const faults = ["NOT_FOUND", "EXPIRED", "DIFFERS"].map((fault) => `SUPPLIER_APPROVAL_${fault}`)
  const pair = ["supplier approval", textAt(parts.request, "supplier_approval_reference"), found] as const
  const origin = { source: OWN_RECORDS, date: textAt(approval, "decided_at") }
  return [
    compared(pair, !differsIfAny(parts, ...faults), origin),
    unasked("supplier of the approval", textAt(approval, "supplier_key"), origin),
  ]
}
