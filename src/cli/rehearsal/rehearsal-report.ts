/** What a rehearsal prints: first that it is one, then the decision, why, and what to do. */
import type { Problem } from "../../../schemas/problem.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import { PUBLISHED_POLICIES } from "../../products/published-policies.ts"
import type { RehearsalResult } from "../../sandbox/rehearsal/rehearse.ts"

/** The members that answers of all products have. */
interface AnyAnswer {
  readonly decision: string
  readonly machine_action: string
  readonly reason_codes: readonly string[]
  readonly conditions: readonly string[]
}

/** The members of a refusal that a person needs. */
type Refusal = Pick<Problem, "code" | "title" | "detail" | "reason_codes" | "errors" | "next_machine_action">

interface ReasonLine {
  readonly code: string
  readonly why: string
  /** What to do about it; empty if nothing is needed. */
  readonly remediation: string
}

/** Actions on which a machine may go on. */
const GOES_ON: readonly string[] = ["RELEASE_PAYMENT", "CONTINUE"]
/** Decisions of an answer that decides nothing, because a source failed. */
const NOTHING_DECIDED: readonly string[] = ["RETRY", "NO_DECISION"]

export type Said = "DECIDED_YES" | "DECIDED_NO" | "UNDECIDED" | "REFUSED"

/** A source that fails gives no decision: 503 for the Payment Decision, an answer that decides nothing for the others. */
export function saidBy({ status, answer }: Pick<RehearsalResult, "answer" | "status">): Said {
  if (status === 503) return "UNDECIDED"
  if (status !== 200) return "REFUSED"
  const { decision, machine_action: action } = answer as unknown as AnyAnswer
  if (NOTHING_DECIDED.includes(decision)) return "UNDECIDED"
  return GOES_ON.includes(action) ? "DECIDED_YES" : "DECIDED_NO"
}

export function rehearsalReport(result: RehearsalResult): string {
  const { response, productId, status, answer, request, madeUp, replaced } = result
  const { payload, signature } = response
  return [
    "REHEARSAL: nothing real was bought, paid, recorded or sent, and nobody may rely on this.",
    `product    ${productId}`,
    ...(status === 200
      ? answerLines(answer as unknown as AnyAnswer, reasonRows(productId, request))
      : refusalLines(answer as unknown as Refusal)),
    `judged at  ${payload.clock}, seed ${payload.seed}`,
    ...payload.snapshots.map(
      ({ source_id, source_version }) => `list       ${source_id} ${source_version ?? "never imported"}`,
    ),
    ...pointerLines("made up   ", madeUp),
    ...pointerLines("replaced  ", replaced),
    `limits     ${payload.limitations.join(", ")}`,
    `signed     ${signature.issuer}, key ${signature.key_id}: the sandbox key, which no published key set has`,
    "",
  ].join("\n")
}

function answerLines(answer: AnyAnswer, rows: readonly ReasonLine[]): string[] {
  const { decision, machine_action: action, conditions } = answer
  const reasons = answer.reason_codes.map(
    (code) => rows.find((row) => row.code === code) ?? { code, why: code, remediation: "" },
  )
  const actions = [...new Set(reasons.flatMap(({ remediation }) => (remediation === "" ? [] : [remediation])))]
  return [
    `decision   ${decision}`,
    `action     ${action}${GOES_ON.includes(action) ? "" : ": no permission to go on"}`,
    ...reasons.map(({ code, why }) => `because    ${code}: ${why}`),
    ...(conditions.length > 0 ? [`conditions ${conditions.join(", ")}`] : []),
    `to do      ${actions.length > 0 ? actions.join(", ") : "nothing more; the real answer is bought with bizauth agent quote and agent pay"}`,
  ]
}

/** The rows of the policy in force, at the tolerance of the request where it states one. */
function reasonRows(productId: string, request: object): readonly ReasonLine[] {
  const policy = PUBLISHED_POLICIES.find(({ product, isInForce }) => product === productId && isInForce)
  const { risk_policy: risk } = request as { readonly risk_policy?: { readonly tolerance: Tolerance } }
  const applies = ({ tolerances }: { readonly tolerances: readonly Tolerance[] }) =>
    risk === undefined || tolerances.includes(risk.tolerance)
  return [...(policy?.document.reasons.filter(applies) ?? []), ...(policy?.uncharged ?? [])]
}

function refusalLines({ code, title, detail, reason_codes, errors, next_machine_action: next }: Refusal): string[] {
  return [
    `refused    ${code}: ${title}. ${detail}`,
    ...reason_codes.map((reason) => `because    ${reason}`),
    ...errors.map(({ pointer, code: fault, expected }) => `fault      ${pointer} ${fault}: ${expected}`),
    `to do      ${next}`,
  ]
}

function pointerLines(label: string, pointers: readonly string[]): string[] {
  return pointers.length === 0 ? [] : [`${label} ${pointers.join(" ")}`]
}
