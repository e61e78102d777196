/** Signs a delegation with the organization's mandate key and the agent's key, and enrols it with a service. */
import type { Static } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { BuyerDelegation, DelegationAnswer } from "../../schemas/us/buyer-delegation.ts"
import { BUYER_ONBOARDING_PATH } from "../../schemas/us/buyer-onboarding.ts"
import { PAYMENT_INTENT } from "../../schemas/us/covered.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { Machine } from "../base/machine.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { digestOf } from "../core/digest.ts"
import { type Signer, signValue } from "../core/signer.ts"
import { DAY, formatInstant } from "../core/time.ts"
import { requireForm } from "./require-form.ts"
import { postJson, type Send } from "./service-call.ts"

const checkDelegation = TypeCompiler.Compile(BuyerDelegation)
const checkAnswer = TypeCompiler.Compile(DelegationAnswer)

/** What the organization lets the agent's key do. */
export interface WantedDelegation {
  readonly organizationDigest: string
  readonly scope: readonly string[]
  readonly maxPayment: string
  /** Null: no limit. */
  readonly maxTotal: string | null
  /** Null: no limit. */
  readonly maxRequestsPerDay: number | null
  readonly currency: string
  readonly days: number
}

interface DelegationDeps {
  readonly send: Send
  /** Origin of the service. */
  readonly server: string
  readonly organization: Signer
  readonly agent: Signer
  readonly machine: Pick<Machine, "now" | "random">
}

/** Returns the service's answer. Throws CommandError: 2 not a delegation, 3 refused or recorded something else, 4 no answer. */
export async function delegate(
  deps: DelegationDeps,
  wanted: WantedDelegation,
): Promise<Static<typeof DelegationAnswer>> {
  const { send, server, organization, agent } = deps
  const content = delegationContent(deps, wanted)
  const body = {
    ...content,
    signature: signValue(organization, content),
    agent_acceptance: signValue(agent, content),
  }
  // Check with the service's own schema before anything signed is sent.
  requireForm(checkDelegation, body, "the delegation would not be accepted")
  const { status, body: answer, code } = await postJson(send, `${server}${BUYER_ONBOARDING_PATH}/enroll`, body)
  if (status !== 200 && status !== 201) {
    const later = status === 429 || status >= 500
    throw new CommandError(
      later ? EXIT.NOT_CHECKED : EXIT.INVALID,
      `the service refused the delegation: ${code ?? `HTTP ${status}`}`,
    )
  }
  if (!checkAnswer.Check(answer) || answer.payload.delegation_digest !== digestOf(content)) {
    throw new CommandError(EXIT.INVALID, "the service recorded something other than the signed delegation")
  }
  return answer
}

function delegationContent({ server, organization, agent, machine }: DelegationDeps, wanted: WantedDelegation) {
  const now = machine.now()
  return {
    schema_version: "1.0.0",
    domain: "svc.buyer-delegation.v1",
    audience: server,
    organization_id: organization.issuer,
    organization_digest: wanted.organizationDigest,
    agent_id: agent.issuer,
    key_id: agent.keyId,
    scope: wanted.scope,
    permitted_intents: [PAYMENT_INTENT],
    max_payment_amount: wanted.maxPayment,
    max_total_amount: wanted.maxTotal,
    max_requests_per_day: wanted.maxRequestsPerDay,
    currency: wanted.currency,
    valid_from: formatInstant(now),
    valid_until: formatInstant(now + wanted.days * DAY),
    nonce: encodeBase64url(machine.random(32)),
    idempotency_key: encodeBase64url(machine.random(16)),
  }
}
