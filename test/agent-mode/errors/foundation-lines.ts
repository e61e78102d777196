import { agentBootstrap } from "../../../schemas/agent-mode/bootstrap.ts"
import { bootstrapExample } from "../../../schemas/agent-mode/example-bodies.ts"
import { runSyntheticJourney } from "../../../schemas/agent-mode/journeys.ts"
import { bodyLines, type ErrorLine, linesOf, paymentLines, sendText } from "./error-line.ts"

/** A new key each time, because the service remembers the keys of an address for ten minutes. */
let serial = 0
const key = () => `foundation-line-${++serial}`

function bootstrapLines(): ErrorLine[] {
  const row = agentBootstrap
  const line = linesOf(row)
  const body = (changes: object) => JSON.stringify({ ...bootstrapExample, idempotency_key: key(), ...changes })
  return [
    ...bodyLines(row),
    ...paymentLines(row, 403, "ECONOMIC_ISOLATION"),
    line(403, "ENVIRONMENT_ISOLATION", (given) =>
      sendText(given, row, body({ environment: "SANDBOX", agent_id: given.agent.agentId })),
    ),
    line(403, "PROVIDER_ISOLATION", (given) => sendText(given, row, body({ provider: "ANOTHER" }))),
    line(409, "IDEMPOTENCY_CONFLICT", async (given) => {
      const used = { idempotency_key: key() }
      await sendText(given, row, body(used))
      return sendText(given, row, body({ ...used, requested_capabilities: ["PLANNING"] }))
    }),
    line(503, "STORE_UNAVAILABLE", (given) => sendText(given, row, body({ agent_id: given.agent.agentId })), "broken"),
  ].filter(({ status }) => row.responses[status as keyof typeof row.responses] !== undefined)
}

function journeyLines(): ErrorLine[] {
  const row = runSyntheticJourney
  const line = linesOf(row)
  const body = (changes: object) => JSON.stringify({ ...row.exampleBody, idempotency_key: key(), ...changes })
  return [
    ...bodyLines(row),
    ...paymentLines(row, 403, "ECONOMIC_ISOLATION"),
    line(403, "ENVIRONMENT_ISOLATION", (given) => sendText(given, row, body({ environment: "LIVE" }))),
    line(403, "PROVIDER_ISOLATION", (given) => sendText(given, row, body({ provider: "ANOTHER" }))),
    line(409, "IDEMPOTENCY_CONFLICT", async (given) => {
      const used = { idempotency_key: key(), journey: "AGENT_ID_ENROLLMENT" }
      await sendText(given, row, body(used))
      return sendText(given, row, body({ ...used, seed: 8 }))
    }),
  ]
}

export const FOUNDATION_LINES: readonly ErrorLine[] = [...bootstrapLines(), ...journeyLines()]
