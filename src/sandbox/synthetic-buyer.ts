/** The buyer organization of the sandbox, and what it and its agent sign. The mandate keys are synthetic, see {@link syntheticKey}. */
import type { BuyerDelegation } from "../../schemas/us/buyer-delegation.ts"
import { PAYMENT_INTENT } from "../../schemas/us/covered.ts"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import type { Machine } from "../base/machine.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { type Digest, digestOf } from "../core/digest.ts"
import { keyOwner } from "../core/key-owner.ts"
import { type Signer, signValue } from "../core/signer.ts"
import { DAY, formatInstant } from "../core/time.ts"
import { type DecisionDraft, signedDecision } from "../products/us/payment-decision/example.ts"
import { addOrganization } from "../store/buyers/buyer-registration.ts"
import type { Store } from "../store/engine/unit.ts"
import { syntheticKey } from "./synthetic-keys.ts"

const ORGANIZATION_ID = "org:sandbox:synthetic-buyer"
const LEGAL_NAME = "SYNTHETIC BUYER INC."
const VERIFIED_DAYS = 300
const DELEGATED_DAYS = 30

export interface SyntheticBuyer {
  readonly organizationId: string
  readonly organizationDigest: Digest
  /** Signs mandates and delegations; its issuer is the organization. */
  readonly mandate: Signer
  /** Public half of the mandate key, base64url. */
  readonly mandateX: string
}

/** An enrolled agent as a signer: its issuer is the Agent ID. */
export type SyntheticAgent = Signer

export function syntheticBuyer(seed: number): SyntheticBuyer {
  const { keyId, x, privateKey } = syntheticKey(seed, "BUYER_ORGANIZATION")
  return {
    organizationId: ORGANIZATION_ID,
    organizationDigest: digestOf({ name: LEGAL_NAME }),
    mandate: { issuer: ORGANIZATION_ID, keyId, privateKey },
    mandateX: x,
  }
}

/** What the operator enters for a buyer that it verified. `at` in milliseconds. */
function buyerEntry({ organizationId, organizationDigest }: SyntheticBuyer, at: number) {
  return {
    organizationId,
    legalName: LEGAL_NAME,
    organizationDigest,
    tolerance: "HIGH",
    verification: {
      method: "SYNTHETIC",
      reference: "sandbox",
      verifiedAt: formatInstant(at - DAY),
      validUntil: formatInstant(at + VERIFIED_DAYS * DAY),
      verifiedBy: "sandbox",
    },
  } as const
}

export async function enterBuyer(store: Store, buyer: SyntheticBuyer, at: number): Promise<void> {
  const { keyId } = buyer.mandate
  const keys = [{ keyId, x: buyer.mandateX, keyOwner: keyOwner(buyer.mandateX) }]
  const outcome = await store.run(() => addOrganization(buyerEntry(buyer, at), keys, formatInstant(at)))
  if (outcome !== "ADDED") throw new Error(`the synthetic buyer was not entered: ${outcome}`)
}

interface DelegationTerms {
  /** Base URL of the service that records the delegation. */
  readonly audience: string
  readonly currency: string
}

/** The body of the call that enrols a delegation: the agent may sign requests and changes of destination, in one currency. */
export function syntheticDelegation(
  buyer: SyntheticBuyer,
  agent: SyntheticAgent,
  machine: Pick<Machine, "now" | "random">,
  { audience, currency }: DelegationTerms,
): BuyerDelegation {
  const now = machine.now()
  const content = {
    schema_version: "1.0.0",
    domain: "svc.buyer-delegation.v1",
    audience,
    organization_id: buyer.organizationId,
    organization_digest: buyer.organizationDigest,
    agent_id: agent.issuer,
    key_id: agent.keyId,
    scope: ["SIGN_REQUEST" as const, "AUTHORIZE_DESTINATION_CHANGE" as const],
    permitted_intents: [PAYMENT_INTENT],
    max_payment_amount: "999999999999999999",
    max_total_amount: null,
    max_requests_per_day: null,
    currency,
    valid_from: formatInstant(now),
    valid_until: formatInstant(now + DELEGATED_DAYS * DAY),
    nonce: encodeBase64url(machine.random(32)),
    idempotency_key: encodeBase64url(machine.random(16)),
  } as const
  return {
    ...content,
    scope: [...content.scope],
    permitted_intents: [...content.permitted_intents],
    signature: signValue(buyer.mandate, content),
    agent_acceptance: signValue(agent, content),
  }
}

/** The draft in the name of buyer and agent, with a mandate bound to it and both signatures. */
export function syntheticDecision(
  draft: DecisionDraft,
  buyer: SyntheticBuyer,
  agent: SyntheticAgent,
  machine: Pick<Machine, "now" | "random">,
): DecisionRequest {
  const mandateId = `mdt_${encodeBase64url(machine.random(16))}`
  const owned: DecisionDraft = {
    ...draft,
    requesting_agent: { agent_id: agent.issuer, key_id: agent.keyId, request_signature: "unsigned" },
    buyer: { organization_id: buyer.organizationId, organization_digest: buyer.organizationDigest },
  }
  return signedDecision(
    owned,
    machine.now(),
    { agent, mandate: buyer.mandate },
    {
      mandate_id: mandateId,
      max_payment_amount: draft.amount,
      nonce: encodeBase64url(machine.random(24)),
      revocation_reference: `urn:svc:mandate:${mandateId}`,
    },
  )
}
