/** The steps to what an agent asks for: served operations, in the order in which an agent calls them. Pure. */
import { exportIdentity } from "../../../schemas/agent-id/export.ts"
import { readLogCheckpoint } from "../../../schemas/agent-id/log.ts"
import { issueChallenge, proveChallenge, readStatus } from "../../../schemas/agent-id/operations.ts"
import { getVerifierModule } from "../../../schemas/agent-id/verifier-module.ts"
import {
  acceptBeaconEvent,
  grantBeaconConsent,
  revokeBeaconConsent,
} from "../../../schemas/agent-mode/beacon-operations.ts"
import { type BootstrapStep, CAPABILITIES, type Capability } from "../../../schemas/agent-mode/bootstrap.ts"
import { runSyntheticJourney } from "../../../schemas/agent-mode/journeys.ts"
import { planningOperations } from "../../../schemas/agent-mode/planning-operations.ts"
import { getProofWalletInventory, importProofWalletArtifact } from "../../../schemas/agent-mode/proof-wallet.ts"
import {
  getIdentityAdoption,
  getMultichannelStatus,
  getOfferStatus,
  holdDialogue,
  optOutOfSales,
} from "../../../schemas/agent-mode/sales-operations.ts"
import { getCapabilities } from "../../../schemas/discovery/capabilities.ts"
import { getServiceJwks } from "../../../schemas/discovery/jwks.ts"
import { getServiceProof } from "../../../schemas/discovery/service-proof.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { enrollBuyerDelegation } from "../../../schemas/us/buyer-onboarding.ts"
import { checkPaymentDecisionEligibility, recoverPaymentDecision } from "../../../schemas/us/operations.ts"
import { pathTemplate } from "../../core/discovery/path-template.ts"

/** An operation and what a call of it produces, as codes. */
type Line = readonly [operationId: string, ...produces: string[]]

const ENROLMENT: readonly Line[] = [
  [issueChallenge.id, "CHALLENGE"],
  [proveChallenge.id, "AGENT_ID", "EVENT_RECEIPT"],
]

/** CHOICE: a purchase needs an Agent ID, because the Payment Decision is a request that an enrolled agent signs. */
const NEEDS_AGENT: ReadonlySet<Capability> = new Set([
  "AGENT_IDENTITY",
  "PURCHASE",
  "PROOF_WALLET",
  "SALES_DIALOGUE",
  "INTENT_BEACON",
])

/** Stands for every served operation that sells a product. */
const SOLD = "every paid operation"

const { preflight, readiness, quote, routes, reuse } = planningOperations

const LINES: Readonly<Record<Capability, readonly Line[]>> = {
  AGENT_IDENTITY: [
    [readStatus.id, "STATUS_RECORD"],
    [exportIdentity.id, "EXPORT_BUNDLE"],
  ],
  PLANNING: [
    [preflight.id, "SIGNED_PLAN"],
    [readiness.id, "SIGNED_PLAN", "CONTINUATION"],
    [quote.id, "SIGNED_PLAN"],
    [routes.id, "SIGNED_PLAN"],
    [reuse.id, "SIGNED_PLAN"],
  ],
  PURCHASE: [
    [getCapabilities.id, "PRODUCTS_SOLD_NOW"],
    [enrollBuyerDelegation.id, "DELEGATION"],
    [checkPaymentDecisionEligibility.id, "ELIGIBILITY"],
    [SOLD, "QUOTE", "SIGNED_DECISION"],
    [recoverPaymentDecision.id, "DELIVERY"],
  ],
  PROOF_WALLET: [
    [importProofWalletArtifact.id, "WALLET_ENTRY"],
    [getProofWalletInventory.id, "WALLET_PAGE"],
  ],
  SALES_DIALOGUE: [
    [getMultichannelStatus.id, "CHANNEL_STATES"],
    [holdDialogue.id, "SIGNED_ANSWER", "OFFER"],
    [getOfferStatus.id, "OFFER_STATE"],
    [optOutOfSales.id, "OPT_OUT_RECEIPT"],
  ],
  INTENT_BEACON: [
    [getIdentityAdoption.id, "BEACON_POLICY"],
    [grantBeaconConsent.id, "CONSENT_RECEIPT"],
    [acceptBeaconEvent.id, "COUNTED_EVENT"],
    [revokeBeaconConsent.id, "REVOCATION"],
  ],
  OFFLINE_VERIFICATION: [
    [getServiceJwks.id, "ISSUER_KEYS"],
    [getServiceProof.id, "SERVICE_PROOF"],
    [readLogCheckpoint.id, "LOG_CHECKPOINT"],
    [getVerifierModule.id, "VERIFIER_PROGRAM"],
  ],
  SANDBOX: [[runSyntheticJourney.id, "SIGNED_TRANSCRIPT", "SANDBOX_ARTIFACTS"]],
}

export interface StepParts {
  readonly baseUrl: string
  /** Every served row. */
  readonly operations: readonly Operation[]
  /** Ids of served operations that take no call now. */
  readonly unavailable: ReadonlySet<string>
}

export interface Steps {
  readonly steps: readonly BootstrapStep[]
  /** Of the requested capabilities, those with an operation that is not available now. */
  readonly notAvailable: readonly Capability[]
}

/** `isEnrolled`: the agent is ACTIVE, so it needs no enrolment. */
export function bootstrapSteps(
  { baseUrl, operations, unavailable }: StepParts,
  requested: readonly Capability[],
  isEnrolled: boolean,
): Steps {
  const available = operations.filter(({ id }) => !unavailable.has(id))
  const find = (id: string) =>
    id === SOLD ? available.filter(({ product }) => product !== undefined) : available.filter((row) => row.id === id)
  // In the order of the table, so that the same wishes give the same steps.
  const requestedInOrder = CAPABILITIES.filter((capability) => requested.includes(capability))
  const enrolment = !isEnrolled && requestedInOrder.some((capability) => NEEDS_AGENT.has(capability)) ? ENROLMENT : []
  const lines = [...enrolment, ...requestedInOrder.flatMap((capability) => LINES[capability])]
  const steps = lines.flatMap(([id, ...produces]) => find(id).map((row) => ({ row, produces })))
  return {
    steps: steps.map(({ row, produces }, index) => ({
      order: index + 1,
      operation_id: row.id,
      method: row.method,
      uri: `${baseUrl}${pathTemplate(row.path)}`,
      authentication: row.authentication,
      produces,
    })),
    notAvailable: requestedInOrder.filter((capability) => {
      const needed = enrolment.length > 0 && NEEDS_AGENT.has(capability) ? ENROLMENT : []
      return [...needed, ...LINES[capability]].some(([id]) => find(id).length === 0)
    }),
  }
}
