/**
 * Every operation that a server serves, without a server: the printed documents need only this. One line for each module of `schemas/`
 * with rows; those of the products are made from the list of products. A test compares it with the rows that the route map registers.
 */
import * as acp from "../../schemas/acp/operations.ts"
import { ACP_CHANNEL_DEFAULT } from "../../schemas/acp/terms.ts"
import * as claim from "../../schemas/agent-id/claim.ts"
import * as descriptor from "../../schemas/agent-id/descriptor.ts"
import * as identityExport from "../../schemas/agent-id/export.ts"
import * as invitation from "../../schemas/agent-id/invitation.ts"
import * as log from "../../schemas/agent-id/log.ts"
import * as identity from "../../schemas/agent-id/operations.ts"
import * as postman from "../../schemas/agent-id/postman.ts"
import * as signatures from "../../schemas/agent-id/signature-operations.ts"
import * as verifierModule from "../../schemas/agent-id/verifier-module.ts"
import * as beacon from "../../schemas/agent-mode/beacon-operations.ts"
import * as bootstrap from "../../schemas/agent-mode/bootstrap.ts"
import * as journeys from "../../schemas/agent-mode/journeys.ts"
import * as planning from "../../schemas/agent-mode/planning-operations.ts"
import * as wallet from "../../schemas/agent-mode/proof-wallet.ts"
import * as sales from "../../schemas/agent-mode/sales-operations.ts"
import * as tokens from "../../schemas/authorization-token.ts"
import * as a2a from "../../schemas/discovery/a2a.ts"
import * as capabilities from "../../schemas/discovery/capabilities.ts"
import * as manifest from "../../schemas/discovery/capability-manifest.ts"
import * as clientModule from "../../schemas/discovery/client-module.ts"
import * as documents from "../../schemas/discovery/documents.ts"
import * as entry from "../../schemas/discovery/entry.ts"
import * as health from "../../schemas/discovery/health.ts"
import * as jwks from "../../schemas/discovery/jwks.ts"
import * as mcp from "../../schemas/discovery/mcp.ts"
import * as openapi from "../../schemas/discovery/openapi.ts"
import * as preflight from "../../schemas/discovery/preflight.ts"
import * as problems from "../../schemas/discovery/problem.ts"
import * as serviceProof from "../../schemas/discovery/service-proof.ts"
import * as signedForms from "../../schemas/discovery/signed-forms.ts"
import * as executions from "../../schemas/executions.ts"
import type { Operation } from "../../schemas/operation.ts"
import { ANSWER_OPERATIONS, FREE_OPERATIONS } from "../../schemas/product-operations.ts"
import * as buyerOnboarding from "../../schemas/us/buyer-onboarding.ts"
import * as companyPassport from "../../schemas/us/company-passport.ts"
import * as decisionContact from "../../schemas/us/decision-contact.ts"
import * as paymentDecision from "../../schemas/us/operations.ts"
import * as sourceHealth from "../../schemas/us/source-health.ts"
import { orderedOperations } from "../http/served.ts"

const MODULES: readonly object[] = [
  acp,
  claim,
  decisionContact,
  descriptor,
  identityExport,
  invitation,
  log,
  identity,
  postman,
  signatures,
  verifierModule,
  clientModule,
  tokens,
  beacon,
  planning,
  bootstrap,
  wallet,
  journeys,
  sales,
  a2a,
  capabilities,
  manifest,
  documents,
  entry,
  mcp,
  openapi,
  preflight,
  serviceProof,
  signedForms,
  health,
  jwks,
  problems,
  executions,
  buyerOnboarding,
  companyPassport,
  paymentDecision,
  sourceHealth,
]

const PRODUCT_ROWS: readonly Operation[] = [...ANSWER_OPERATIONS.map(({ paid }) => paid), ...FREE_OPERATIONS]

/**
 * Returns the rows ordered by path and method. `channels`: the six channel slugs of the configuration. `acpChannel`: the one of agent
 * commerce. `isPlanningOn`: as the planning routes state it.
 */
export function operationTable(
  channels: readonly string[],
  acpChannel = ACP_CHANNEL_DEFAULT,
  isPlanningOn = false,
): readonly Operation[] {
  const configured: readonly Operation[] = [
    descriptor.channelBootstrapOf(channels),
    acp.buyerSigningModuleOf(acpChannel),
    decisionContact.contactChannelOf(acpChannel),
    ...planning.planningOperationsOf(isPlanningOn),
  ]
  const rows = [...MODULES.flatMap((module) => Object.values(module).filter(isOperation)), ...PRODUCT_ROWS]
  return orderedOperations(rows.map((row) => configured.find(({ id }) => id === row.id) ?? row))
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "rateLimit" in value && "responses" in value
}
