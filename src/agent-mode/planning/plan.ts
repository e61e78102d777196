/** The planner: what one intent would need now. Pure over the intent, the catalogue and the facts that the service holds in memory. */
import type { AgentPlanningIntent, MissingInput, PlanningOutcome } from "../../../schemas/agent-mode/planning.ts"
import { endsTooSoon } from "../../core/capsule/validity.ts"
import type { RequiredSource } from "../../delivery/sale.ts"
import type { JudgedReferences } from "./judge-references.ts"
import { isOfCaller, missingInputs } from "./missing-inputs.ts"
import type { PlanningLine } from "./planning-catalogue.ts"

export type AgentState = "NOT_STATED" | "UNKNOWN" | "NO_ACTIVE_KEY" | "ACTIVE"

export interface PlanningFacts {
  readonly agent: AgentState
  readonly sources: readonly RequiredSource[]
  readonly arePaymentsOff: boolean
  readonly references: JudgedReferences
}

export interface Plan {
  readonly outcome: PlanningOutcome
  /** Codes of every outcome that holds, in the order of the outcomes. */
  readonly reasonCodes: readonly string[]
  readonly missing: readonly MissingInput[]
}

/**
 * `at` is `evaluated_at` in milliseconds. CHOICE: the outcome is the first that holds, in this order: a caller learns first what it cannot
 * change by its next request.
 */
export function plan(body: AgentPlanningIntent, line: PlanningLine, facts: PlanningFacts, at: number): Plan {
  const missing = missingInputs(body, line.inputs)
  let first: PlanningOutcome | null = null
  const reasonCodes: string[] = []
  const hold = (outcome: PlanningOutcome, code: string) => {
    first ??= outcome
    reasonCodes.push(code)
  }
  if (facts.references.reusable.some(({ effect }) => effect === "REPLACES_PURCHASE")) {
    hold("REUSE_AVAILABLE", "REUSE_AVAILABLE")
  }
  for (const outcome of ["SOURCE_UNAVAILABLE", "SOURCE_STALE"] as const) {
    for (const source of facts.sources) {
      if (sourceOutcome(source, at) === outcome) hold(outcome, `${source.sourceId}_${outcome}`)
    }
  }
  if (line.isPaid && facts.arePaymentsOff) hold("NOT_SOLD_NOW", "PAYMENTS_OFF")
  for (const code of authorityCodes(body, line, facts.agent, missing)) hold("INSUFFICIENT_AUTHORITY", code)
  const short = budgetCode(body, line)
  if (short !== null) hold("INSUFFICIENT_BUDGET", short)
  if (missing.some(isOfCaller)) hold("NEEDS_INPUT", "INPUT_MISSING")
  return { outcome: first ?? "SUPPORTED", reasonCodes, missing }
}

function sourceOutcome({ health, staleAt }: RequiredSource, at: number): PlanningOutcome | null {
  if (health === "STALE") return "SOURCE_STALE"
  if (health !== "HEALTHY") return "SOURCE_UNAVAILABLE"
  return staleAt !== null && endsTooSoon(staleAt, at) ? "SOURCE_STALE" : null
}

function authorityCodes(
  { authority }: AgentPlanningIntent,
  { needs }: PlanningLine,
  agent: AgentState,
  missing: readonly MissingInput[],
): string[] {
  const codes: string[] = []
  if (needs.includes("AGENT") && agent === "NOT_STATED") codes.push("AGENT_ID_REQUIRED")
  if (agent === "UNKNOWN") codes.push("AGENT_UNKNOWN")
  if (agent === "NO_ACTIVE_KEY") codes.push("AGENT_KEY_NOT_ACTIVE")
  const isMandateMissing = needs.includes("MANDATE") && authority.mandate_digest === null
  if (isMandateMissing || !missing.every(isOfCaller)) codes.push("MANDATE_REQUIRED")
  if (needs.includes("DELEGATION") && authority.delegation_id === null) codes.push("DELEGATION_REQUIRED")
  return codes
}

function budgetCode({ budget }: AgentPlanningIntent, { isPaid, price }: PlanningLine): string | null {
  if (!isPaid || budget === null) return null
  if (budget.asset !== price.asset || budget.network !== price.network) return "BUDGET_ASSET_UNSUPPORTED"
  return BigInt(budget.max_amount_atomic) < BigInt(price.amountAtomic) ? "BUDGET_BELOW_PRICE" : null
}
