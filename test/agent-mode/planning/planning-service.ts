/** Planning routes over a real store, keys and served rows. The test chooses the state of sources and payments. */
import type { AgentPlanningIntent } from "../../../schemas/agent-mode/planning.ts"
import { planningOperations, planningResults } from "../../../schemas/agent-mode/planning-operations.ts"
import type { PlanningDeps } from "../../../src/agent-mode/planning/planning-deps.ts"
import { planning } from "../../../src/agent-mode/planning/routes.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { formatInstant, HOUR } from "../../../src/core/time.ts"
import type { RequiredSource } from "../../../src/delivery/sale.ts"
import { compile } from "../../../src/http/read-body.ts"
import { router } from "../../../src/http/router.ts"
import { planningDeps } from "../../../src/server/agent-mode/planning.ts"
import { routes } from "../../../src/server/app.ts"
import { enrolTestAgent } from "../../fixtures/agent.ts"
import { BASE_URL, clockAt, testService } from "../../fixtures/service.ts"

export const START = Date.UTC(2026, 0, 1)
export type PlanningName = keyof typeof planningOperations

/** Complete and affordable: SUPPORTED when sources serve and payments are on. */
export function intentBody(changes: Partial<AgentPlanningIntent> = {}): AgentPlanningIntent {
  return {
    schema_version: "1.0.0",
    contract_version: "1.0.0",
    intent: "CHECK_US_COMPANY",
    product_id: null,
    jurisdiction: null,
    coverage: null,
    requesting_agent: null,
    provided_inputs: [],
    input_digests: { "": digestOf("the whole body") },
    evidence_references: [],
    budget: { max_amount_atomic: "100000000", asset: "USDC", network: "eip155:8453" },
    authority: { mandate_digest: null, delegation_id: null },
    freshness_requirements: { max_age_seconds: 604_800, evaluated_at: formatInstant(START) },
    correlation: { correlation_id: "correlation", trace_id: "trace" },
    continuation: null,
    idempotency_key: "planning-1",
    ...changes,
  }
}

export function source(changes: Partial<RequiredSource> = {}): RequiredSource {
  return { sourceId: "US_OFAC_SDN", health: "HEALTHY", reasonCodes: [], staleAt: START + HOUR, ...changes }
}

export interface Payload {
  readonly outcome: string
  readonly reason_codes: string[]
  readonly missing_inputs: { pointer: string; supplied_by: string }[]
  readonly next_machine_action: string
  readonly continuation: { token: string; expires_at: string } | null
  readonly [member: string]: unknown
}

export async function planningService(changes: Partial<PlanningDeps> = {}) {
  const clock = clockAt(START)
  const running = await testService(clock, { rate_limits: "off", agent_mode_planning: "on" })
  const whole = routes(running.service)
  const { served: _, ...shell } = running.service.shell
  const made = (more: Partial<PlanningDeps> = {}) =>
    router(
      shell,
      planning({
        ...planningDeps(running.service),
        shell,
        sourcesOf: () => [source()],
        paymentsMode: "test",
        ...changes,
        ...more,
      }),
    )
  const app = made()
  async function ask(name: PlanningName, body: object, headers: Record<string, string> = {}, by = app) {
    const { path } = planningOperations[name]
    const request = new Request(BASE_URL + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    })
    const response = await by.handle(request)
    const text = await response.text()
    const told = JSON.parse(text) as {
      payload: Payload
      digest?: string
      code?: string
      errors?: { pointer: string }[]
    }
    const check = compile(planningResults[name])
    if (response.status === 200 && !check.Check(told)) {
      const fault = check.Errors(told).First()
      throw new Error(`not the result of ${name}: ${fault?.path} ${fault?.message}`)
    }
    // A plan is written as text, so its form and its digest are checked for every answer.
    if (response.status === 200 && (text !== canonicalize(told) || told.digest !== digestOf(told.payload))) {
      throw new Error(`the result of ${name} is not canonical: ${text}`)
    }
    return { status: response.status, headers: response.headers, text, ...told }
  }
  return {
    ...running,
    clock,
    whole,
    made,
    ask,
    enrol: () => enrolTestAgent(async (request) => whole.handle(request), BASE_URL),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}
