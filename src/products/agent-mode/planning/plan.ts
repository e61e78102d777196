/** The planner: what one intent would need now. Pure over the intent, the catalogue and the facts that the service holds in memory. */
import type { AgentPlanningIntent, PlanningOutcome } from "../../../../schemas/agent-mode/planning.ts"
import { endsTooSoon } from "../../../checks/validity.ts"
import type { RequiredSource } from "../../../delivery/sale.ts"
import { USDC_BASE } from "../../../payments/usdc.ts"
import type { JudgedReferences } from "./judge-references.ts"
import type { PlanningInput, PlanningLine } from "./planning-catalogue.ts"

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
  readonly missing: readonly PlanningInput[]
}

/** CHOICE: the outcome is the first that holds, in this order: a caller learns first what it cannot change by its next request. */
type Holding = readonly [outcome: PlanningOutcome, codes: readonly string[]]

/** `at` is `evaluated_at` in milliseconds. */
export function plan(body: AgentPlanningIntent, line: PlanningLine, facts: PlanningFacts, at: number): Plan {
  const missing = missingInputs(body, line)
  const sources = facts.sources.map((source) => ({ source, state: sourceOutcome(source, at) }))
  const failing = (outcome: PlanningOutcome) =>
    sources.filter(({ state }) => state === outcome).map(({ source }) => `${source.sourceId}_${outcome}`)
  const replaced = facts.references.reusable.some(({ effect }) => effect === "REPLACES_PURCHASE")
  const holding: readonly Holding[] = [
    ["REUSE_AVAILABLE", replaced ? ["REUSE_AVAILABLE"] : []],
    ["SOURCE_UNAVAILABLE", failing("SOURCE_UNAVAILABLE")],
    ["SOURCE_STALE", failing("SOURCE_STALE")],
    ["NOT_SOLD_NOW", line.isPaid && facts.arePaymentsOff ? ["PAYMENTS_OFF"] : []],
    ["INSUFFICIENT_AUTHORITY", authorityCodes(body, line, facts.agent, missing)],
    ["INSUFFICIENT_BUDGET", budgetCodes(body, line)],
    ["NEEDS_INPUT", missing.some(isCallersInput) ? ["INPUT_MISSING"] : []],
  ]
  const held = holding.filter(([, codes]) => codes.length > 0)
  return {
    outcome: held[0]?.[0] ?? "SUPPORTED",
    reasonCodes: held.flatMap(([, codes]) => codes),
    missing,
  }
}

/** What the buyer's organization supplies is a matter of authority. */
export function isCallersInput({ missing }: PlanningInput): boolean {
  return missing.supplied_by !== "BUYER_ORGANIZATION"
}

export function missingInputs(
  { provided_inputs, input_digests }: Pick<AgentPlanningIntent, "provided_inputs" | "input_digests">,
  { inputs }: Pick<PlanningLine, "inputs">,
): PlanningInput[] {
  const stated = new Set([...provided_inputs, ...Object.keys(input_digests)])
  return inputs.filter(({ providers }) => !providers.some((pointer) => stated.has(pointer)))
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
  missing: readonly PlanningInput[],
): string[] {
  const isMandateMissing =
    (needs.includes("MANDATE") && authority.mandate_digest === null) || !missing.every(isCallersInput)
  const codes: Readonly<Record<string, boolean>> = {
    AGENT_ID_REQUIRED: needs.includes("AGENT") && agent === "NOT_STATED",
    AGENT_UNKNOWN: agent === "UNKNOWN",
    AGENT_KEY_NOT_ACTIVE: agent === "NO_ACTIVE_KEY",
    MANDATE_REQUIRED: isMandateMissing,
    DELEGATION_REQUIRED: needs.includes("DELEGATION") && authority.delegation_id === null,
  }
  return Object.keys(codes).filter((code) => codes[code])
}

function budgetCodes({ budget }: AgentPlanningIntent, { isPaid, price }: PlanningLine): string[] {
  if (!isPaid || budget === null) return []
  if (budget.asset !== price.asset || budget.network !== USDC_BASE.network) return ["BUDGET_ASSET_UNSUPPORTED"]
  return BigInt(budget.max_amount_atomic) < BigInt(price.amountAtomic) ? ["BUDGET_BELOW_PRICE"] : []
}
