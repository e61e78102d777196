import type { AgentPlanningIntent } from "../../../schemas/agent-mode/planning.ts"
import { planningOperations } from "../../../schemas/agent-mode/planning-operations.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { formatInstant, MINUTE } from "../../../src/core/time.ts"
import { intentBody } from "../planning/planning-service.ts"
import type { Wallets } from "../wallet/wallets.ts"
import { bodyLines, type ErrorLine, linesOf, paymentLines, sendText } from "./error-line.ts"

type Changes = Partial<AgentPlanningIntent>

const IBAN = "GB33BUKB20201555555555"

function ask(given: Wallets, row: Operation, changes: Changes = {}, at = given.service.clock.now()): Promise<Response> {
  const freshness_requirements = { max_age_seconds: 60, evaluated_at: formatInstant(at) }
  return sendText(given, row, JSON.stringify(intentBody({ freshness_requirements, ...changes })))
}

async function tokenOf(given: Wallets): Promise<string> {
  const answer = await ask(given, planningOperations.readiness, { intent: "REDEEM_US_TOKEN", input_digests: {} })
  const { payload } = (await answer.json()) as { payload: { continuation: { token: string } } }
  return payload.continuation.token
}

/** The intent of {@link tokenOf}, complete. */
const continuing = (token: string): Changes => ({ intent: "REDEEM_US_TOKEN", continuation: { token } })

const UNKNOWN_POINTER: Changes = { provided_inputs: ["/no_such_member"] }
const OTHER_MANDATE: Changes = {
  intent: "RELEASE_PAYMENT_TO_SUPPLIER",
  input_digests: { "/buyer_mandate/payload": digestOf(1) },
  authority: { mandate_digest: digestOf(2), delegation_id: null },
}

function linesOfRow(row: Operation): ErrorLine[] {
  const line = linesOf(row)
  const isPreflight = row === planningOperations.preflight
  return [
    ...bodyLines(row),
    ...paymentLines(row, 422, "PAYMENT_HEADER_FORBIDDEN"),
    line(422, "RAW_BANK_DATA_REJECTED", (given) => ask(given, row, { idempotency_key: IBAN })),
    line(422, "INTENT_UNSUPPORTED", (given) => ask(given, row, { intent: "NO_SUCH_NEED" })),
    ...(isPreflight
      ? []
      : [
          line(422, "INTENT_UNSUPPORTED", (given) => ask(given, row, { product_id: "another" })),
          line(422, "COVERAGE_UNSUPPORTED", (given) => ask(given, row, { jurisdiction: "GB" })),
          line(422, "COVERAGE_UNSUPPORTED", (given) => ask(given, row, { coverage: "WHOLE_WORLD" })),
        ]),
    ...[-301_000, 301_000].map((ms) =>
      line(422, "EVALUATED_AT_OUT_OF_WINDOW", (given) => ask(given, row, {}, given.service.clock.now() + ms)),
    ),
    line(422, "INPUT_POINTER_UNKNOWN", (given) => ask(given, row, UNKNOWN_POINTER)),
    line(422, "DIGEST_MISMATCH", (given) => ask(given, row, OTHER_MANDATE)),
    ...(row === planningOperations.quote
      ? [line(422, "INTENT_INCOMPLETE", (given) => ask(given, row, { input_digests: {} }))]
      : []),
    line(409, "CONTINUATION_BINDING_MISMATCH", (given) => ask(given, row, { continuation: { token: "a.b" } })),
    line(409, "CONTINUATION_EXPIRED", async (given) => {
      const { clock } = given.service
      const now = clock.now()
      const token = await tokenOf(given)
      clock.set(now + 15 * MINUTE)
      try {
        return await ask(given, row, continuing(token))
      } finally {
        clock.set(now)
      }
    }),
    line(409, "CONTINUATION_REPLAY", async (given) => {
      // Another clock reading gives another continuation than the lines of the other routes use.
      given.service.clock.set(given.service.clock.now() + 1000)
      const token = await tokenOf(given)
      await ask(given, planningOperations.preflight, { ...continuing(token), idempotency_key: "another-use" })
      return ask(given, row, continuing(token))
    }),
    line(503, "AGENT_MODE_PLANNING_DISABLED", (given) => ask(given, row), "off"),
    line(503, "STORE_UNAVAILABLE", (given) => ask(given, row), "broken"),
    line(503, "SIGNING_KEY_EXPIRED", (given) => ask(given, row), "expired"),
  ]
}

export const PLANNING_LINES: readonly ErrorLine[] = Object.values(planningOperations).flatMap(linesOfRow)
