/** Signed requests, created before the clock runs. Each is unique, so that no cache of the server knows it. */
import { randomBytes } from "node:crypto"
import { verifyAgentSignature } from "../../schemas/agent-id/signature-operations.ts"
import { authorizeGbPayment } from "../../schemas/gb/payment.ts"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { requestDigest } from "../../src/checks/policy/digests.ts"
import { canonicalBytes } from "../../src/core/canonical-json.ts"
import { signWith } from "../../src/core/ed25519.ts"
import { recoverySigningValue } from "../../src/core/forms/recovery-signing.ts"
import { formatInstant } from "../../src/core/time.ts"
import type { TestAgent } from "../../test/fixtures/agent.ts"
import { usBody } from "../../test/fixtures/answers.ts"
import { agentKey } from "../../test/fixtures/buyers.ts"
import { gbHeaders, gbPaymentBody } from "../../test/fixtures/gb.ts"
import { SAMPLE_COMPANY } from "../../test/fixtures/sample-uk-register.ts"
import { signedStatement } from "../../test/fixtures/signed-statement.ts"
import { freshRequest, ORIGIN } from "../../test/fixtures/test-server.ts"
import { post } from "./load.ts"

export function quoteRequests(count: number): Uint8Array[] {
  return Array.from({ length: count }, () => post(PAYMENT_DECISION_PATH, JSON.stringify(freshRequest())))
}

export function companyCheckRequests(count: number): Uint8Array[] {
  return Array.from({ length: count }, () => post(checkCompany.path, JSON.stringify(usBody())))
}

export function ukPaymentRequests(count: number): Uint8Array[] {
  const { number: company_number } = SAMPLE_COMPANY
  return Array.from({ length: count }, () => {
    const body = gbPaymentBody({ company_number })
    return post(authorizeGbPayment.path, JSON.stringify(body), gbHeaders(body))
  })
}

/** Requests the same delivery repeatedly, each time with a new nonce and signature. */
export function recoveries(bought: ReturnType<typeof freshRequest>, count: number): Uint8Array[] {
  return Array.from({ length: count }, () => {
    const claim = { issued_at: formatInstant(Date.now()), nonce: randomBytes(24).toString("hex") }
    const signature = signWith(
      agentKey.privateKey,
      canonicalBytes(recoverySigningValue(requestDigest(bought), claim, ORIGIN)),
    )
    return post(
      `${PAYMENT_DECISION_PATH}/recover`,
      JSON.stringify({ request: bought, authentication: { ...claim, signature } }),
    )
  })
}

/** Each statement has its own nonce, so the server knows none. The agents sign in turn. */
export function verifications(agents: readonly TestAgent[], count: number): Uint8Array[] {
  const at = Date.now()
  return Array.from({ length: count }, (_, n) => {
    const agent = agents[n % agents.length]
    if (!agent) throw new RangeError("nobody is there to sign")
    return post(verifyAgentSignature.path, JSON.stringify(signedStatement(agent, at)))
  })
}
