/** One request has one answer: asked twice, on two instances of one data directory, and after a restart. */
import { expect } from "bun:test"
import type { AgentPlanningIntent } from "../../../schemas/agent-mode/planning.ts"
import { planningOperations } from "../../../schemas/agent-mode/planning-operations.ts"
import { UNSERVED_INTENTS } from "../../../schemas/agent-mode/unserved-intents.ts"
import { bodyInputs } from "../../../src/agent-mode/planning/body-inputs.ts"
import { planning } from "../../../src/agent-mode/planning/routes.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { formatInstant, HOUR } from "../../../src/core/time.ts"
import { intentsOf } from "../../../src/discovery/intents-of.ts"
import { router } from "../../../src/http/router.ts"
import { planningDeps } from "../../../src/server/agent-mode/planning.ts"
import { routes } from "../../../src/server/app.ts"
import type { OpenedService } from "../../../src/server/open-service.ts"
import { enrolTestAgent } from "../../fixtures/agent.ts"
import { BASE_URL, clockAt, testServiceOn } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { openRehearsalOperator } from "../../sandbox/rehearsal/rehearsal-operator.ts"
import { intentBody, type Payload, type PlanningName } from "./planning-service.ts"

const test = slowTests(import.meta.path)

const INTENTS = 1_000
const CONTINUED = 50
const NAMES = Object.keys(planningOperations) as PlanningName[]
const settings = { rate_limits: "off", agent_mode_planning: "on" } as const

interface PlanningCall {
  readonly name: PlanningName
  readonly body: AgentPlanningIntent
}

/** Repeatable: the same seed gives the same choices. */
function chance(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return <T>(choices: readonly T[]): T => choices[Math.floor(next() * choices.length)] as T
}

interface Need {
  readonly name: string
  /** Pointers of the inputs. */
  readonly leaves: readonly string[]
}

const PLENTY = { max_amount_atomic: "100000000", asset: "USDC", network: "eip155:8453" }

interface Situation {
  readonly needs: readonly Need[]
  /** An agent that is enrolled. */
  readonly agentId: string
  /** Milliseconds. */
  readonly at: number
}

function randomIntent(pick: ReturnType<typeof chance>, { needs, agentId, at }: Situation): AgentPlanningIntent {
  const digest = digestOf(pick(["a", "b", "c"]))
  const { name, leaves } = pick(needs)
  return intentBody({
    intent: name,
    jurisdiction: pick([null, null, null, null, null, null, "US", "GB"]),
    requesting_agent: pick([null, { agent_id: agentId }, { agent_id: `svc:agent:${"A".repeat(32)}` }]),
    provided_inputs: leaves.filter(() => pick([true, false])),
    input_digests: pick<Record<string, string>>([{}, { "": digest }, { "": digest }, { "": digest }]),
    evidence_references: pick([
      [],
      [{ digest, wallet_entry_id: null, authorized_by_caller: pick([true, false]) }],
      [{ digest, wallet_entry_id: "wal_unknown", authorized_by_caller: true }],
    ]),
    budget: pick([null, PLENTY, PLENTY, { ...PLENTY, max_amount_atomic: "1" }]),
    authority: { mandate_digest: pick([null, digest]), delegation_id: pick([null, "dlg_1"]) },
    freshness_requirements: { max_age_seconds: pick([604_800, 604_800, 604_800, 60]), evaluated_at: formatInstant(at) },
    idempotency_key: `planning-${pick(["1", "2"])}`,
  })
}

type App = Pick<ReturnType<typeof router>, "handle">

/** The planning routes of a service that sells. */
function planningApp(service: OpenedService): {
  readonly app: App
  readonly whole: App
  readonly needs: readonly Need[]
} {
  // Every row is served before the first plan.
  const whole = routes(service)
  const { served, ...shell } = service.shell
  const needs = [
    ...served.rows().flatMap((row) =>
      intentsOf(row).map(({ name, chosenBy }) => ({
        name,
        leaves: bodyInputs(row, chosenBy).leaves.slice(0, 128),
      })),
    ),
    ...[...UNSERVED_INTENTS.keys()].map((name) => ({ name, leaves: [] })),
  ]
  return { whole, app: router(shell, planning({ ...planningDeps(service), shell, paymentsMode: "test" })), needs }
}

async function answersOf(app: App, calls: readonly PlanningCall[]): Promise<string[]> {
  const texts: string[] = []
  for (const { name, body } of calls) {
    const response = await app.handle(
      new Request(BASE_URL + planningOperations[name].path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    )
    const text = await response.text()
    // A refusal names its own request.
    texts.push(response.status === 200 ? text : `${response.status} ${(JSON.parse(text) as { code: string }).code}`)
  }
  return texts
}

const payloadOf = (text: string): Payload | null =>
  text.startsWith("{") ? (JSON.parse(text) as { payload: Payload }).payload : null

const outcomesOf = (plans: readonly Payload[]) => new Set(plans.map(({ outcome }) => outcome))
const members = (plans: readonly Payload[], name: string) => plans.map((plan) => plan[name]).filter(Boolean)

test(`${INTENTS} random intents get the same bytes: asked twice, of two instances, and after a restart`, async () => {
  using operator = await openRehearsalOperator()
  const directory = operator.data
  const healthyAt = Date.now()
  const clock = clockAt(healthyAt)
  const first = await testServiceOn(directory, clock, settings)
  const second = await testServiceOn(directory, clock, settings)
  const { app, whole, needs } = planningApp(first.service)
  const { app: other } = planningApp(second.service)
  const { agentId } = await enrolTestAgent(async (request) => whole.handle(request), BASE_URL)
  const pick = chance(15)
  const rounds: {
    readonly at: number
    readonly calls: readonly PlanningCall[]
    readonly answers: readonly string[]
  }[] = []

  /** Plans at one time, and again on both instances some minutes later. */
  async function plansAt(at: number, count: number): Promise<readonly Payload[]> {
    clock.set(at)
    const calls: PlanningCall[] = Array.from({ length: count }, () => ({
      name: pick(NAMES),
      body: randomIntent(pick, { needs, agentId, at }),
    }))
    const answers = await answersOf(app, calls)
    // Each continuation is used by one further request, which a single instance answers first.
    const continued: PlanningCall[] = answers.flatMap((text, n) => {
      const token = payloadOf(text)?.continuation?.token
      const body = calls[n]?.body
      return token && body ? [{ name: "preflight" as const, body: { ...body, continuation: { token } } }] : []
    })
    const kept = continued.slice(0, CONTINUED)
    const followed = await answersOf(app, kept)
    expect(followed.filter((text) => payloadOf(text)?.["continues_plan_id"]).length).toBeGreaterThanOrEqual(
      kept.length / 2,
    )
    clock.set(at + 200_000)
    expect(await answersOf(app, [...calls, ...kept])).toEqual([...answers, ...followed])
    expect(await answersOf(other, [...kept, ...calls])).toEqual([...followed, ...answers])
    rounds.push({ at, calls: [...calls, ...kept], answers: [...answers, ...followed] })
    const plans = answers.flatMap((text) => payloadOf(text) ?? [])
    expect(plans.length).toBeGreaterThan(count / 2)
    return plans
  }

  // Every list is healthy.
  const healthy = await plansAt(healthyAt, INTENTS * 0.7)
  const sold = healthy.filter(({ outcome, maximum_price: price }) => {
    return outcome === "SUPPORTED" && (price as { network: string | null } | null)?.network != null
  })
  expect(sold.length).toBeGreaterThan(20)
  expect(new Set(sold.map((plan) => (plan["maximum_price"] as { amount: string }).amount)).size).toBeGreaterThan(3)
  expect(members(sold, "readiness")).toContain("READY")
  expect(members(sold, "quote").length).toBeGreaterThan(3)
  expect(members(sold, "selected_route")).toContainEqual(expect.objectContaining({ kind: "X402_HTTP" }))
  expect(outcomesOf(healthy)).toEqual(
    new Set([
      ...["NOT_IMPLEMENTED", "UNSUPPORTED", "SOURCE_STALE", "INSUFFICIENT_AUTHORITY", "INSUFFICIENT_BUDGET"],
      ...["NEEDS_INPUT", "SUPPORTED"],
    ]),
  )
  const healths = (plans: readonly Payload[]) =>
    new Set(plans.flatMap(({ source_health: lists }) => Object.values(lists as object).map(({ health }) => health)))
  expect(healths(healthy)).toEqual(new Set(["HEALTHY"]))

  // The lists with the shorter windows are stale, the others are healthy.
  const stale = await plansAt(healthyAt + 80 * HOUR, INTENTS * 0.3)
  expect(healths(stale)).toEqual(new Set(["HEALTHY", "STALE"]))
  expect(outcomesOf(stale)).toContain("SOURCE_STALE")

  await Promise.all([first.service.close(), second.service.close()])
  const third = await testServiceOn(directory, clock, settings)
  const { app: restarted } = planningApp(third.service)
  for (const { at, calls, answers } of rounds) {
    clock.set(at)
    expect(await answersOf(restarted, calls)).toEqual([...answers])
  }
  await third.service.close()
}, 60_000)
