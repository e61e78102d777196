/**
 * Names of the components. A schema with an `$id` has that name. The others are parts of many schemas, and have the name in this table.
 */
import type { TSchema } from "@sinclair/typebox"
import { Limitations } from "../../../schemas/agent-id/challenge.ts"
import { KeyRole } from "../../../schemas/agent-id/descriptor.ts"
import { LoggedEvent } from "../../../schemas/agent-id/export.ts"
import { KeyStatus } from "../../../schemas/agent-id/identity.ts"
import { JwksKey, SentJwk } from "../../../schemas/agent-id/jwk.ts"
import { EventKey, RevocationReason, SigningRole } from "../../../schemas/agent-id/key-event.ts"
import { EventReceipt } from "../../../schemas/agent-id/proof.ts"
import { PayloadVerification, ReplayCheck, StatementVerification } from "../../../schemas/agent-id/signature.ts"
import { SignatureOutcomes } from "../../../schemas/agent-id/signature-outcomes.ts"
import { Channel } from "../../../schemas/agent-mode/channels.ts"
import { FoundationEnvironment } from "../../../schemas/agent-mode/foundation.ts"
import { JourneyName } from "../../../schemas/agent-mode/journeys.ts"
import { CallerId, Effects } from "../../../schemas/agent-mode/notation.ts"
import {
  GivenContinuation,
  MissingInput,
  PlanningOperationId,
  PlanningOutcome,
} from "../../../schemas/agent-mode/planning.ts"
import { ReuseState } from "../../../schemas/agent-mode/proof-wallet.ts"
import { MessageScope } from "../../../schemas/agent-mode/signed-message.ts"
import { ArtifactType, UkDelivery } from "../../../schemas/agent-mode/wallet-artifact.ts"
import { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import { TokenRevocationReason } from "../../../schemas/authorization-token.ts"
import {
  AnswerAction,
  AnswerAuthorization,
  AnswerDecision,
  AnswerPayment,
  AnswerPolicy,
  EconomicActivity,
  GbCoverage,
  UsAnswerCoverage,
} from "../../../schemas/business-answer.ts"
import { BindingEvidence, ChangeChallenge } from "../../../schemas/caller-evidence.ts"
import { ChangeState } from "../../../schemas/change-facts.ts"
import {
  AgentId,
  Amount,
  Correlation,
  Currency,
  DateTime,
  EvmAddress,
  Identifier,
  InvoiceDigest,
  KeyId,
  MandateDigest,
  Nonce,
  OrganizationDigest,
  PaidAmount,
  PayeeFingerprint,
  PayloadDigest,
  RequestDigest,
  SignatureObject,
  SourceState,
} from "../../../schemas/common.ts"
import { Authentication, Jurisdiction, Lifecycle, Method } from "../../../schemas/discovery/document-members.ts"
import { StatedEnvironment } from "../../../schemas/environment.ts"
import { CompanyNumber } from "../../../schemas/gb/company-number.ts"
import { Freshness, Observation } from "../../../schemas/observation.ts"
import { ANSWER_PRODUCTS } from "../../../schemas/products.ts"
import { DecisionContact } from "../../../schemas/us/decision-contact.ts"
import { BuyerMandate } from "../../../schemas/us/mandate.ts"
import { Company, IdentityState } from "../../../schemas/us/operation-request.ts"
import {
  Buyer,
  CoverageRequirements,
  Destination,
  FreshnessRequirements,
  Invoice,
  RequestingAgent,
  RiskPolicy,
  Supplier,
} from "../../../schemas/us/payment-decision.ts"
import { Decision, MachineAction, ProofCapsule, UsCoverage } from "../../../schemas/us/proof-capsule.ts"
import { pascalCase } from "./schema-form.ts"

const [DecisionContactDraft, DecisionContactStop] = DecisionContact.anyOf

/** The answer of each product is named like its request: `CompanyCheckRequest` has `CompanyCheckAnswer`. */
const ANSWERS: readonly [string, TSchema][] = ANSWER_PRODUCTS.map(({ schemas: { request, answer } }) => [
  `${request.$id}`.replace(/Request$/, "Answer"),
  answer,
])

export const NAMED_PARTS: Readonly<Record<string, TSchema>> = {
  AgentId,
  AgentIdLimitation: Limitations.items,
  AgentIdLimitations: Limitations,
  AgentModeChannel: Channel,
  AgentModeEnvironment: FoundationEnvironment,
  Amount,
  AnswerAction,
  AnswerAuthorization,
  AnswerCapsule,
  AnswerDecision,
  AnswerPayment,
  AnswerPolicy,
  ArtifactType,
  BindingEvidence,
  Buyer,
  BuyerMandate,
  CallerId,
  ChangeChallenge,
  ChangeState,
  Company,
  CompanyNumber,
  Correlation,
  CoverageRequirements,
  Currency,
  Decision,
  DecisionContactDraft,
  DecisionContactStop,
  Destination,
  EconomicActivity,
  Effects,
  EventKey,
  EventReceipt,
  EvmAddress,
  Freshness,
  FreshnessRequirements,
  GbCoverage,
  GivenContinuation,
  HttpMethod: Method,
  Identifier,
  IdentityState,
  Invoice,
  InvoiceDigest,
  JourneyName,
  Jurisdiction,
  JwksKey,
  KeyId,
  KeyRevocationReason: RevocationReason,
  KeyRole,
  KeyStatus,
  Lifecycle,
  LoggedEvent,
  MachineAction,
  MandateDigest,
  MessageScope,
  MissingInput,
  Nonce,
  Observation,
  OperationAuthentication: Authentication,
  OrganizationDigest,
  PaidAmount,
  PayeeFingerprint,
  PayloadDigest,
  PayloadVerification,
  PlanningOperation: PlanningOperationId,
  PlanningOutcome,
  ProofCapsule,
  ReplayCheck,
  RequestDigest,
  RequestingAgent,
  ReuseState,
  RiskPolicy,
  SentJwk,
  SignatureObject,
  SignatureOutcomes,
  SigningRole,
  SourceState,
  StatedEnvironment,
  StatementVerification,
  Supplier,
  // A generator of Go makes a type `NilDateTime` of its own.
  Timestamp: DateTime,
  TokenRevocationReason,
  UkDelivery,
  UsAnswerCoverage,
  UsCoverage,
}

/** By the text of the schema: an optional member of TypeBox is a copy of its schema. */
const NAMES: ReadonlyMap<string, string> = new Map(
  [...Object.entries(NAMED_PARTS), ...ANSWERS].map(([name, schema]) => [JSON.stringify(schema), name]),
)
const known = new WeakMap<object, string | null>()

/**
 * A generator of Go names its own type for the answer of `get_thing` `GetThingResponse`, so no component has such a name. Generators write
 * types in Pascal case, and so are the names.
 */
function printedName(id: string): string {
  return pascalCase(id).replace(/Response$/, "Reply")
}

/** Returns the name of a schema, or undefined if the document prints the schema where it is used. */
export function componentName(schema: object): string | undefined {
  let name = known.get(schema)
  if (name === undefined) {
    const { $id } = schema as { readonly $id?: string }
    name = $id === undefined ? (NAMES.get(JSON.stringify(schema)) ?? null) : printedName($id)
    known.set(schema, name)
  }
  return name ?? undefined
}
