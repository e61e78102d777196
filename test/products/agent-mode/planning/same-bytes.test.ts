/** One request has one answer: asked twice, on two instances of one data directory, and after a restart. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import type { AgentPlanningIntent } from "../../../../schemas/agent-mode/planning.ts"
import { planningOperations } from "../../../../schemas/agent-mode/planning-operations.ts"
import { UNSERVED_INTENTS } from "../../../../schemas/agent-mode/unserved-intents.ts"
import { routes } from "../../../../src/app.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { createDataDirectory } from "../../../../src/data/data-directory.ts"
import { intentsOf } from "../../../../src/discovery/intents-of.ts"
import { bodyInputs } from "../../../../src/products/agent-mode/planning/body-inputs.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { BASE_URL, clockAt, testServiceOn } from "../../../fixtures/service.ts"
import { intentBody, type Payload, type PlanningName, START } from "./planning-service.ts"

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

function randomIntent(pick: ReturnType<typeof chance>, needs: readonly Need[]): AgentPlanningIntent {
  const digest = digestOf(pick(["a", "b", "c"]))
  const { name, leaves } = pick(needs)
  return intentBody({
    intent: name,
    jurisdiction: pick([null, null, null, "US", "GB"]),
    requesting_agent: pick([null, { agent_id: `svc:agent:${"A".repeat(32)}` }]),
    provided_inputs: leaves.filter(() => pick([true, false])),
    input_digests: pick<Record<string, string>>([{}, {}, { "": digest }]),
    evidence_references: pick([
      [],
      [{ digest, wallet_entry_id: null, authorized_by_caller: pick([true, false]) }],
      [{ digest, wallet_entry_id: "wal_unknown", authorized_by_caller: true }],
    ]),
    budget: pick([null, { max_amount_atomic: "1", asset: "USDC", network: "eip155:8453" }]),
    authority: { mandate_digest: pick([null, digest]), delegation_id: pick([null, "dlg_1"]) },
    idempotency_key: `planning-${pick(["1", "2"])}`,
  })
}

async function answersOf(app: ReturnType<typeof routes>, calls: readonly PlanningCall[]): Promise<string[]> {
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

test(`${INTENTS} random intents get the same bytes: asked twice, of two instances, and after a restart`, async () => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  const clock = clockAt(START)
  await createDataDirectory(directory, "test", clock)
  const first = await testServiceOn(directory, clock, settings)
  const second = await testServiceOn(directory, clock, settings)
  const [app, other] = [routes(first.service), routes(second.service)]
  const needs: Need[] = [
    ...first.service.shell.served.rows().flatMap((row) =>
      intentsOf(row).map(({ name, chosenBy }) => ({
        name,
        leaves: bodyInputs(row, chosenBy).leaves.slice(0, 128),
      })),
    ),
    ...[...UNSERVED_INTENTS.keys()].map((name) => ({ name, leaves: [] })),
  ]
  const pick = chance(15)
  const calls: PlanningCall[] = Array.from({ length: INTENTS }, () => ({
    name: pick(NAMES),
    body: randomIntent(pick, needs),
  }))
  const answers = await answersOf(app, calls)
  const plans = answers.flatMap((text) => payloadOf(text) ?? [])
  expect(plans.length).toBeGreaterThan(INTENTS / 2)
  expect(new Set(plans.map(({ outcome }) => outcome)).size).toBeGreaterThan(3)

  // Each continuation is used by one further request, which a single instance answers first.
  const continued: PlanningCall[] = answers.flatMap((text, n) => {
    const token = payloadOf(text)?.continuation?.token
    const body = calls[n]?.body
    return token && body ? [{ name: "preflight" as const, body: { ...body, continuation: { token } } }] : []
  })
  const kept = continued.slice(0, CONTINUED)
  expect(kept.length).toBeGreaterThan(CONTINUED / 5)
  const followed = await answersOf(app, kept)
  expect(followed.filter((text) => payloadOf(text)?.["continues_plan_id"]).length).toBeGreaterThan(kept.length / 2)

  clock.set(START + 200_000)
  expect(await answersOf(app, [...calls, ...kept])).toEqual([...answers, ...followed])
  expect(await answersOf(other, [...kept, ...calls])).toEqual([...followed, ...answers])
  await Promise.all([first.service.close(), second.service.close()])
  const third = await testServiceOn(directory, clock, settings)
  expect(await answersOf(routes(third.service), [...calls, ...kept])).toEqual([...answers, ...followed])
  await third.service.close()
}, 60_000)
