/** The five planning routes. They store nothing about a plan, ask no source and charge nothing. */
import type { TSchema } from "@sinclair/typebox"
import { operation } from "../operation.ts"
import { problem } from "../problem.ts"
import { planningExample, quoteExample } from "./example-bodies.ts"
import { ENABLED_HEADER } from "./notation.ts"
import { AgentPlanningIntent, type PlanningOperationId } from "./planning.ts"
import { PreflightResult, QuoteResult, ReadinessResult, ReuseResult, RouteResult } from "./planning-results.ts"

export const PLANNING_FLAG = "agent_mode_planning"

function planningOperation(row: {
  readonly id: PlanningOperationId
  readonly path: string
  readonly summary: string
  readonly result: TSchema
  readonly exampleBody?: object
}) {
  const made = operation({
    exampleBody: row.exampleBody ?? planningExample,
    id: row.id,
    method: "POST",
    path: `/v1/agent-mode/${row.path}`,
    summary: row.summary,
    body: AgentPlanningIntent,
    responses: {
      200: { description: "Signed plan; the same request gives the same bytes", schema: row.result },
      409: problem("The continuation is bound to other values, has expired or was used"),
      422: problem("Closed schema, payment header, private key, or an intent, coverage or input that no operation has"),
      503: problem("Planning is off, or the service cannot read its records or sign"),
    },
    authentication: "NONE",
    lifecycle: "IMPLEMENTED_FLAG_OFF",
    price: { amount: "0", asset: "N/A_NO_CHARGE" },
    cors: "NONE",
    bankData: "REFUSED",
    rateLimit: { group: "agent-mode-planning", perMinute: 120 },
    headers: { "x-contract-version": "1.0.0", "x-agent-mode-lifecycle": "IMPLEMENTED_FLAG_OFF" },
    tool: "READ",
  })
  return { ...made, id: row.id }
}

export const askPreflight = planningOperation({
  id: "free_agent_preflight",
  path: "preflight",
  summary: "Whether an intent is supported, what is missing, and the maximum price; no source is asked",
  result: PreflightResult,
})

export const getReadiness = planningOperation({
  id: "get_autonomous_readiness",
  path: "readiness",
  summary: "Whether the caller can act now; if inputs are missing, a continuation bound to what was stated",
  result: ReadinessResult,
})

export const getExactQuote = planningOperation({
  id: "get_exact_agent_quote",
  path: "quotes/exact",
  summary: "The exact price of a complete intent; neither a reservation nor a charge",
  result: QuoteResult,
  exampleBody: quoteExample,
})

export const selectRoute = planningOperation({
  id: "select_best_valid_route",
  path: "routes/best-valid",
  summary: "The cheapest valid way to meet an intent by oneself; nothing is started",
  result: RouteResult,
})

export const previewReuse = planningOperation({
  id: "preview_evidence_reuse",
  path: "reuse/preview",
  summary: "Which of the evidence that the caller names replaces a purchase, and what is left to buy",
  result: ReuseResult,
})

export const planningOperations = {
  preflight: askPreflight,
  readiness: getReadiness,
  quote: getExactQuote,
  routes: selectRoute,
  reuse: previewReuse,
} as const

/** The rows of a server, which state whether planning is on: the lifecycle of the interface is the same in both cases. */
export function planningOperationsOf(isOn: boolean) {
  return Object.values(planningOperations).map((row) => ({
    ...row,
    headers: { ...row.headers, [ENABLED_HEADER]: String(isOn) },
  }))
}

/** The answers of the routes, by their names here. */
export const planningResults = {
  preflight: PreflightResult,
  readiness: ReadinessResult,
  quote: QuoteResult,
  routes: RouteResult,
  reuse: ReuseResult,
} as const satisfies Readonly<Record<keyof typeof planningOperations, TSchema>>
