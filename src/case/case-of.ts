/**
 * Makes the case of one answer of any of the nine products. Pure, total and without a clock: a hostile, damaged or partial document gives a case
 * with less in it, and never one that permits more.
 */
import type { Case, CaseReason } from "../../schemas/case.ts"
import type { UnchargedReason } from "../checks/policy/answer-policy.ts"
import { DECISION_GATE, type PolicyReason } from "../checks/policy/policy.ts"
import { firedRow } from "../checks/policy/reasons-in-words.ts"
import type { CaseParts } from "./compared-row.ts"
import { gatesOf } from "./gates.ts"
import { BLOCK_REMAINS_A_HOLD, type FoundHits, hitsOf } from "./hits.ts"
import { textAt, textsAt, type Value } from "./members.ts"
import { aboutOf, permissionOf } from "./permission.ts"
import { questionOf } from "./question.ts"
import { unjudgeableHits, whyUnjudgeable } from "./unjudgeable.ts"
import { waysOf } from "./ways.ts"

/** The rows of the policy version that the answer names. */
interface CasePolicy {
  readonly reasons: readonly PolicyReason[]
  /** Absent in the policy of the Payment Decision. */
  readonly uncharged?: readonly UnchargedReason[]
}

/** Parsed JSON of any form. */
export interface CaseInput {
  readonly answer: unknown
  /** Undefined if the document has none. */
  readonly request?: unknown
  readonly facts?: unknown
  /** Null if this program does not have the version. */
  readonly policy: CasePolicy | null
}

/** Null for a value without a decision. */
export function caseOf(input: CaseInput): Case | null {
  return caseWith(input, hitsOf)
}

/** The same with these hits. */
export function caseWith({ policy, ...documents }: CaseInput, find: (parts: CaseParts) => FoundHits): Case | null {
  const { answer, request, facts } = documents as Readonly<Record<"answer" | "request" | "facts", Value>>
  const decision = textAt(answer, "decision")
  const action = textAt(answer, "machine_action")
  if (decision === null || action === null) return null
  const codes = textsAt(answer, "reason_codes")
  const parts: CaseParts = { request, answer, facts, codes: new Set(codes) }
  const permission = permissionOf(decision, action)
  const product = textAt(answer, "product_or_solution") ?? textAt(answer, "product")
  const reasons = codes.map((code) => reasonOf(code, answer, policy))
  const stopping = reasons.filter(({ outcome }) => outcome !== "PASS")
  const known = policy && new Set(policy.reasons.map(({ gate }) => gate).filter(isGate))
  const found = find(parts)
  return {
    format: "svc-case-1",
    product,
    about: aboutOf(product),
    permission: permission ?? "HOLD",
    decision,
    machine_action: action,
    is_known: permission !== null,
    valid_from: textAt(answer, "valid_as_of"),
    valid_until: textAt(answer, "valid_until"),
    asked: questionOf(parts),
    stopped_by: permission === "PAY" ? [] : stopping,
    ways: permission === "PAY" ? [] : waysOf(stopping),
    gates: permission === "NO_ANSWER" ? [] : gatesOf(parts, reasons, known),
    hits: [...found.hits],
    hits_left_out: found.leftOut,
    notes: notesOf(parts, found),
    missing: missingOf({ request, facts, policy }),
  }
}

function isGate(gate: string): boolean {
  return gate !== DECISION_GATE
}

function reasonOf(code: string, answer: Value, policy: CasePolicy | null): CaseReason {
  const conditions = textsAt(answer, "conditions")
  const row = policy && firedRow(policy.reasons, code, { conditions })
  const uncharged = policy?.uncharged?.find((one) => one.code === code)
  const isClosing = row?.gate === DECISION_GATE
  return {
    code,
    gate: row && !isClosing ? row.gate : null,
    outcome: row?.outcome ?? uncharged?.decision ?? null,
    why: row?.why ?? uncharged?.why ?? null,
    remediation: (row?.remediation ?? uncharged?.remediation) || null,
  }
}

function missingOf({ request, facts, policy }: Omit<CaseInput, "answer">): Case["missing"] {
  return [
    ...(request === undefined ? (["REQUEST"] as const) : []),
    ...(facts === undefined ? (["FACTS"] as const) : []),
    ...(policy === null ? (["POLICY"] as const) : []),
  ]
}

/** What a reviewer must know about the hits: why nobody can judge them, or what a judgement did not change. */
function notesOf({ answer }: CaseParts, found: FoundHits): string[] {
  const { hits, entriesLeftOut } = found
  const isSuppressed = hits.some(({ suppression }) => suppression !== null)
  const blocks = hits.some(({ suppression, tier }) => suppression !== null && tier === "BLOCK")
  return [
    ...whyUnjudgeable(found),
    ...unjudgeableHits(found),
    ...(entriesLeftOut > 0
      ? [
          `An answer keeps a limited amount of what publishers print. It left out the entries of ${entriesLeftOut} hits.`,
        ]
      : []),
    ...(isSuppressed ? ["The operator judged a hit to be another party. The case shows it with the judgement."] : []),
    ...(blocks ? [BLOCK_REMAINS_A_HOLD] : []),
    ...(textsAt(answer, "limitations").includes("RECORDED_IDENTIFIERS_CHECKED")
      ? ["The company was also screened under identifiers that the buyer's own records know."]
      : []),
  ]
}
