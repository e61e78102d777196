/** Plans and events of the Intent Beacon. Each is unique and fresh, so it is made before the clock runs. */
import { acceptBeaconEvent, grantBeaconConsent } from "../../schemas/agent-mode/beacon-operations.ts"
import { planningOperations } from "../../schemas/agent-mode/planning-operations.ts"
import { formatInstant } from "../../src/core/time.ts"
import { intentBody } from "../../test/agent-mode/planning/planning-service.ts"
import { consent, event } from "../../test/agent-mode/sales-test-server.ts"
import type { TestAgent } from "../../test/fixtures/agent.ts"
import { ORIGIN } from "../../test/fixtures/test-server.ts"
import { post } from "./load.ts"

const signerOf = ({ agentId, operational: key }: TestAgent) => ({ key, agentId, audience: ORIGIN })

function agentAt(agents: readonly TestAgent[], n: number): TestAgent {
  const agent = agents[n % agents.length]
  if (!agent) throw new RangeError("nobody is there to ask")
  return agent
}

/** Members of the body of a Payment Decision that the callers know, in turns. */
const KNOWN_INPUTS = ["/supplier", "/invoice", "/payee", "/amount", "/currency", "/economic_purpose"]

/** What a Payment Decision would need: an agent that is enrolled, and half of the body's members unknown. Each knows others, at its own time. */
export function plans(agents: readonly TestAgent[], count: number): Uint8Array[] {
  const at = Date.now()
  return Array.from({ length: count }, (_, n) => {
    const evaluated_at = formatInstant(at - (n % 10_000))
    const body = intentBody({
      intent: "RELEASE_PAYMENT_TO_SUPPLIER",
      requesting_agent: { agent_id: agentAt(agents, n).agentId },
      provided_inputs: KNOWN_INPUTS.filter((_, input) => input !== n % KNOWN_INPUTS.length),
      input_digests: {},
      freshness_requirements: { max_age_seconds: 604_800, evaluated_at },
      idempotency_key: `plan-${n}-${evaluated_at}`,
    })
    return post(planningOperations.preflight.path, JSON.stringify(body))
  })
}

const CONSENT = { consent_id: "consent-1", max_events_per_day: 1000 }

/** Each agent consents once. A consent allows a thousand events a day, so the agents take turns. */
export async function grantConsents(origin: string, agents: readonly TestAgent[]): Promise<void> {
  for (const agent of agents) {
    const answer = await fetch(origin + grantBeaconConsent.path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(consent(Date.now(), CONSENT, signerOf(agent))),
    })
    if (answer.status !== 201) throw new Error(`no consent: ${answer.status} ${await answer.text()}`)
  }
}

/** Milliseconds over which the events of a row are signed. The service accepts a message 30 seconds ahead of its clock. */
const SIGNED_OVER_MS = 10_000

/**
 * Each is signed after the one before it, as agents sign what they send. Each agent has its own address, because the cap on events is split by
 * address. The service must trust 127.0.0.1 as a proxy.
 */
export function beaconEvents(agents: readonly TestAgent[], count: number): Uint8Array[] {
  const at = Date.now()
  return Array.from({ length: count }, (_, n) => {
    const signedAt = at + Math.floor((n * SIGNED_OVER_MS) / count)
    const body = JSON.stringify(event(signedAt, {}, signerOf(agentAt(agents, n))))
    return post(acceptBeaconEvent.path, body, { "X-Forwarded-For": addressAt(n % agents.length) })
  })
}

function addressAt(n: number): string {
  return `10.1.${n >> 8}.${n & 255}`
}
