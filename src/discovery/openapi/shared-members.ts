/** Members that several objects of the interface have. The document prints them once, and each of the objects refers to them. */
import { type TObject, type TSchema, Type } from "@sinclair/typebox"
import { KeyControlClaim } from "../../../schemas/agent-id/claim.ts"
import { AgentIdBootstrap, AgentIdDescriptor } from "../../../schemas/agent-id/descriptor.ts"
import { AgentExportBundle } from "../../../schemas/agent-id/export.ts"
import { AgentProfile } from "../../../schemas/agent-id/identity.ts"
import { AgentSignatureVerification } from "../../../schemas/agent-id/signature-outcomes.ts"
import { BeaconConsentReceiptPayload, IntentBeaconConsentResult } from "../../../schemas/agent-mode/beacon.ts"
import { AgentBootstrapRequest } from "../../../schemas/agent-mode/bootstrap.ts"
import { RunSyntheticJourney } from "../../../schemas/agent-mode/journeys.ts"
import { contractMembers, endMembers } from "../../../schemas/agent-mode/notation.ts"
import { AgentSalesOptOutResult, OptOutReceiptPayload } from "../../../schemas/agent-mode/opt-out.ts"
import { PlanningResult } from "../../../schemas/agent-mode/planning.ts"
import { ImportedProofWalletArtifact, ProofWalletInventory } from "../../../schemas/agent-mode/proof-wallet.ts"
import { messageMembers } from "../../../schemas/agent-mode/signed-message.ts"
import { AnswerCapsulePayload } from "../../../schemas/answer-capsule.ts"
import { DateTime, Digest, SignatureObject } from "../../../schemas/common.ts"
import { contactMembers, railMembers } from "../../../schemas/contact.ts"
import { Capabilities } from "../../../schemas/discovery/capabilities.ts"
import { CapabilityManifestPayload } from "../../../schemas/discovery/capability-manifest.ts"
import { ServiceProofPayload } from "../../../schemas/discovery/service-proof.ts"
import { AnswerEligibilityResponse } from "../../../schemas/eligibility.ts"
import { GbPaymentAnswer } from "../../../schemas/gb/payment.ts"
import { GbVendorChangeResult } from "../../../schemas/gb/vendor-change.ts"
import { BuyerDelegation, DelegationRecord } from "../../../schemas/us/buyer-delegation.ts"
import { DelegationRevocation, MandateRevocation } from "../../../schemas/us/buyer-revocation.ts"
import { CompanyPassportPayload } from "../../../schemas/us/company-passport.ts"
import { DecisionResponse } from "../../../schemas/us/decision-response.ts"
import { EligibilityResponse } from "../../../schemas/us/eligibility.ts"
import { usOperationMembers } from "../../../schemas/us/operation-request.ts"
import { CapsulePayload } from "../../../schemas/us/proof-capsule.ts"
import { VendorChangeResult } from "../../../schemas/us/vendor-change.ts"
import { schemaNumber } from "../plain-schema.ts"
import { shortened } from "./reading-matter.ts"

const message: TObject = Type.Object(messageMembers(""))
const answer: TObject = GbPaymentAnswer
const bootstrap = shortened<TObject>(AgentIdBootstrap)

export const REQUEST_MEMBERS: Readonly<Record<string, TObject>> = {
  AgentModeRequest: common(AgentBootstrapRequest, RunSyntheticJourney),
  KeyedRequest: common(BuyerDelegation, AgentBootstrapRequest),
  DelegationTerms: common(BuyerDelegation, DelegationRecord.properties.delegation),
  RevocationMembers: common(DelegationRevocation, MandateRevocation),
  SignedMessageMembers: without(message, ["domain"]),
  UsDraftMembers: Type.Partial(Type.Object(usOperationMembers)),
}

export const REPLY_MEMBERS: Readonly<Record<string, TObject>> = {
  AgentIdBootstrapMembers: open(bootstrap),
  AgentIdMembers: common(bootstrap, shortened(AgentIdDescriptor)),
  AgentModeMembers: Type.Object({ ...contractMembers, ...endMembers }),
  AssuranceMembers: common(AgentProfile, KeyControlClaim, bootstrap),
  AsOfMembers: Type.Object({
    schema_version: Type.Literal("1.0.0"),
    limitations: Type.Array(Type.String()),
    valid_as_of: DateTime,
  }),
  BeaconConsentMembers: without(common(IntentBeaconConsentResult, BeaconConsentReceiptPayload), ["schema_version"]),
  BusinessAnswerMembers: without(answer, ["product_or_solution", "coverage", "result"]),
  AgentClaimMembers: common(AgentProfile, AgentExportBundle, AgentSignatureVerification),
  ChangeResultMembers: common(VendorChangeResult, GbVendorChangeResult),
  ContactMembers: Type.Object(contactMembers),
  DecisionMembers: common(DecisionResponse, CapsulePayload),
  EndMembers: Type.Object({
    schema_version: Type.Literal("1.0.0"),
    limitations: Type.Array(Type.String()),
    next_machine_action: Type.String(),
  }),
  EligibilityMembers: common(AnswerEligibilityResponse, EligibilityResponse),
  IssuedMembers: common(CapabilityManifestPayload, ServiceProofPayload),
  OptOutMembers: without(common(AgentSalesOptOutResult, OptOutReceiptPayload), ["schema_version"]),
  PlanMembers: open(PlanningResult),
  ProductMembers: common(Capabilities.properties.products.items, CapabilityManifestPayload.properties.products.items),
  PurchaseRail: Type.Object(railMembers),
  SignedDocumentMembers: Type.Object({ digest: Digest, signature: SignatureObject }),
  VerdictMembers: common(GbPaymentAnswer, AnswerCapsulePayload, CompanyPassportPayload.properties.check),
  WalletEntryMembers: common(ImportedProofWalletArtifact, ProofWalletInventory.properties.entries.items),
}

function open(schema: TObject): TObject {
  return Type.Object(schema.properties)
}

function without(schema: TObject, names: readonly string[]): TObject {
  return selected(schema, (name) => !names.includes(name))
}

/** The members that all have, each with the same schema, and required in all. */
function common(first: TObject, ...others: readonly TObject[]): TObject {
  const isRequired = ({ required }: TObject, name: string) => required?.includes(name) === true
  return selected(
    first,
    (name, schema) =>
      isRequired(first, name) &&
      others.every((other) => {
        const member = other.properties[name]
        return isRequired(other, name) && member !== undefined && schemaNumber(member) === schemaNumber(schema)
      }),
  )
}

function selected({ properties }: TObject, keeps: (name: string, schema: TSchema) => boolean): TObject {
  return Type.Object(Object.fromEntries(Object.entries(properties).filter(([name, schema]) => keeps(name, schema))))
}
