import { expect, test } from "bun:test"
import { join } from "node:path"
import type { AgentPlanningIntent } from "../../../../schemas/agent-mode/planning.ts"
import { planningOperations } from "../../../../schemas/agent-mode/planning-operations.ts"
import { UNSERVED_INTENTS } from "../../../../schemas/agent-mode/unserved-intents.ts"
import { routes } from "../../../../src/app.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { createDataDirectory } from "../../../../src/data/data-directory.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { BASE_URL, clockAt, testServiceOn } from "../../../fixtures/service.ts"
import { countEffects, NO_EFFECT_COUNTED } from "../effects.ts"
import { intentBody, type PlanningName, START } from "./planning-service.ts"

const INTENTS = 1_000
const NAMES = Object.keys(planningOperations) as PlanningName[]
const settings = { rate_limits: "off", agent_mode_planning: "on" } as const

/** Repeatable: the same seed gives the same choices. */
function chance(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return <T>(choices: readonly T[]): T => choices[Math.floor(next() * choices.length)] as T
}

function randomIntent(pick: ReturnType<typeof chance>, intents: readonly string[]): AgentPlanningIntent {
  const digest = digestOf(pick(["a", "b", "c"]))
  return intentBody({
    intent: pick([...intents, ...UNSERVED_INTENTS.keys()]),
    jurisdiction: pick([null, null, "US", "GB"]),
    requesting_agent: pick([null, { agent_id: `svc:agent:${"A".repeat(32)}` }]),
    input_digests: pick<Record<string, string>>([{}, { "": digest }]),
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

test("the same request gets the same bytes: asked twice, of two instances, after a restart; and nothing else happens", async () => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  const clock = clockAt(START)
  await createDataDirectory(directory, "test", clock)
  const first = await testServiceOn(directory, clock, settings)
  const app = routes(first.service)
  const intents = first.service.shell.served.rows().flatMap(({ intent }) => (intent ? [intent.name] : []))
  const pick = chance(15)
  const calls = Array.from({ length: INTENTS }, () => ({ name: pick(NAMES), body: randomIntent(pick, intents) }))
  const answersOf = async (by: ReturnType<typeof routes>) => {
    const texts: string[] = []
    for (const { name, body } of calls) {
      const response = await by.handle(
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
  let answers: string[] = []
  const effects = await countEffects(directory, async () => {
    answers = await answersOf(app)
  })
  expect(effects).toEqual(NO_EFFECT_COUNTED)
  expect(answers.filter((text) => text.startsWith("{")).length).toBeGreaterThan(INTENTS / 2)

  clock.set(START + 200_000)
  expect(await answersOf(app)).toEqual(answers)
  await first.service.close()
  const second = await testServiceOn(directory, clock, settings)
  expect(await answersOf(routes(second.service))).toEqual(answers)
  await second.service.close()
}, 60_000)
