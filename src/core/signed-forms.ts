/**
 * Every form that is signed, with its closed schema. A verifier matches the schema before it checks the signature. No value matches two
 * schemas, so a signature for one purpose is never valid for another (rulings 3). Nothing is prepended to the signed bytes; the form's own
 * members distinguish it:
 * - a form of this service has a `domain` member with a literal that no other form has;
 * - the two forms of the interface have no `domain`: only the mandate has `permitted_intent`, only the decision request has
 *   `buyer_mandate`. Their closed schemas reject a `domain`;
 * - the binding of an ACP job has a `type` instead: only it has `on_chain_job_id`.
 */
import { type TSchema, Type } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { JobBinding } from "../../schemas/acp/job-binding.ts"
import { AgentStatusPayload } from "../../schemas/agent-id/identity.ts"
import { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { EventReceiptPayload } from "../../schemas/agent-id/proof.ts"
import { SignatureStatement } from "../../schemas/agent-id/signature.ts"
import {
  BeaconConsentReceiptPayload,
  SignedIntentBeaconConsent,
  SignedIntentBeaconEvent,
  SignedIntentBeaconRevocation,
} from "../../schemas/agent-mode/beacon.ts"
import { AgentDialogueResponsePayload, SignedAgentDialogue } from "../../schemas/agent-mode/dialogue.ts"
import { JourneyPayload } from "../../schemas/agent-mode/journeys.ts"
import { OfferCapsulePayload } from "../../schemas/agent-mode/offer.ts"
import { OptOutReceiptPayload, SignedAgentSalesOptOut } from "../../schemas/agent-mode/opt-out.ts"
import { PlanningContinuation, PlanningResult } from "../../schemas/agent-mode/planning.ts"
import { SandboxArtifactPayload } from "../../schemas/agent-mode/sandbox-artifact.ts"
import { AnswerCapsulePayload } from "../../schemas/answer-capsule.ts"
import { closed, DateTime, Nonce, RequestDigest } from "../../schemas/common.ts"
import { CapabilityManifestPayload } from "../../schemas/discovery/capability-manifest.ts"
import { ServiceProofPayload } from "../../schemas/discovery/service-proof.ts"
import { ReviewExportPayload, ReviewRecord } from "../../schemas/review.ts"
import { SignedSnapshotManifest } from "../../schemas/snapshot-manifest.ts"
import { text } from "../../schemas/text.ts"
import { BuyerDelegation, DelegationRecord } from "../../schemas/us/buyer-delegation.ts"
import { DelegationRevocation, MandateRevocation, RevocationRecord } from "../../schemas/us/buyer-revocation.ts"
import { CompanyPassportPayload } from "../../schemas/us/company-passport.ts"
import { MandatePayload } from "../../schemas/us/mandate.ts"
import { decisionRequestMembers, RequestingAgent } from "../../schemas/us/payment-decision.ts"
import { CapsulePayload } from "../../schemas/us/proof-capsule.ts"
import { SupplierIdentityStatement } from "../../schemas/us/supplier-identity.ts"
import { vendorChangeMembers } from "../../schemas/us/vendor-change.ts"

/** `request_signature` covers the whole request except itself (Interface, "Payment Decision request"). */
const SignedDecisionRequest = closed({
  ...decisionRequestMembers,
  requesting_agent: Type.Omit(RequestingAgent, ["request_signature"], { additionalProperties: false }),
})

/** `authentication.signature` of a recovery covers this form (CHOICE: the interface does not show the bytes). */
const SignedRecovery = closed({
  domain: Type.Literal("svc.payment-decision.recovery.v1"),
  audience: text(1, 512),
  request_digest: RequestDigest,
  issued_at: DateTime,
  nonce: Nonce,
})

const exact = { additionalProperties: false } as const
/** Flat signed requests: the object without its signatures (rulings 2). */
const SignedDelegation = Type.Omit(BuyerDelegation, ["signature", "agent_acceptance"], exact)
const SignedDelegationRevocation = Type.Omit(DelegationRevocation, ["signature"], exact)
const SignedMandateRevocation = Type.Omit(MandateRevocation, ["signature"], exact)
const SignedSupplierIdentity = Type.Omit(SupplierIdentityStatement, ["signature"], exact)

/** `request_signature` of a US vendor change covers the whole body except itself. */
const SignedVendorChange = closed({
  ...vendorChangeMembers,
  requesting_agent: Type.Omit(RequestingAgent, ["request_signature"], exact),
})

/** Messages of agents to sales and the Intent Beacon. */
const SignedDialogueTurn = Type.Omit(SignedAgentDialogue, ["signature"], exact)
const SignedSalesOptOut = Type.Omit(SignedAgentSalesOptOut, ["signature"], exact)
const SignedBeaconConsent = Type.Omit(SignedIntentBeaconConsent, ["signature"], exact)
const SignedBeaconRevocation = Type.Omit(SignedIntentBeaconRevocation, ["signature"], exact)
const SignedBeaconEvent = Type.Omit(SignedIntentBeaconEvent, ["signature"], exact)

interface SignedForm {
  /** The literal of the top-level `domain`, or null for the three forms without one. */
  readonly domain: string | null
  /** The member that only this form has. */
  readonly mark: string
  readonly schema: TSchema
}

/** Registers a form with a domain. The literal occurs in its schema only. */
function byDomain<T extends TSchema & { properties: { domain: { const: string } } }>(schema: T) {
  return { domain: schema.properties.domain.const, mark: "domain", schema } as const
}

export const signedForms = {
  MANDATE: { domain: null, mark: "permitted_intent", schema: MandatePayload },
  DECISION_REQUEST: { domain: null, mark: "buyer_mandate", schema: SignedDecisionRequest },
  JOB_BINDING: { domain: null, mark: "on_chain_job_id", schema: JobBinding },
  RECOVERY: byDomain(SignedRecovery),
  VENDOR_CHANGE: byDomain(SignedVendorChange),
  DELEGATION: byDomain(SignedDelegation),
  DELEGATION_RECORD: byDomain(DelegationRecord),
  DELEGATION_REVOCATION: byDomain(SignedDelegationRevocation),
  MANDATE_REVOCATION: byDomain(SignedMandateRevocation),
  SUPPLIER_IDENTITY: byDomain(SignedSupplierIdentity),
  REVOCATION_RECORD: byDomain(RevocationRecord),
  KEY_EVENT: byDomain(KeyEvent),
  EVENT_RECEIPT: byDomain(EventReceiptPayload),
  IDENTITY_STATUS: byDomain(AgentStatusPayload),
  SIGNATURE_STATEMENT: byDomain(SignatureStatement),
  PROOF_CAPSULE: byDomain(CapsulePayload),
  ANSWER_CAPSULE: byDomain(AnswerCapsulePayload),
  COMPANY_PASSPORT: byDomain(CompanyPassportPayload),
  SNAPSHOT_MANIFEST: byDomain(SignedSnapshotManifest),
  CAPABILITY_MANIFEST: byDomain(CapabilityManifestPayload),
  SERVICE_PROOF: byDomain(ServiceProofPayload),
  SANDBOX_ARTIFACT: byDomain(SandboxArtifactPayload),
  SANDBOX_JOURNEY: byDomain(JourneyPayload),
  SALES_DIALOGUE: byDomain(SignedDialogueTurn),
  SALES_DIALOGUE_RESPONSE: byDomain(AgentDialogueResponsePayload),
  SALES_OFFER: byDomain(OfferCapsulePayload),
  SALES_OPT_OUT: byDomain(SignedSalesOptOut),
  SALES_OPT_OUT_RECEIPT: byDomain(OptOutReceiptPayload),
  BEACON_CONSENT: byDomain(SignedBeaconConsent),
  BEACON_CONSENT_RECEIPT: byDomain(BeaconConsentReceiptPayload),
  BEACON_REVOCATION: byDomain(SignedBeaconRevocation),
  BEACON_EVENT: byDomain(SignedBeaconEvent),
  PLANNING_RESULT: byDomain(PlanningResult),
  PLANNING_CONTINUATION: byDomain(PlanningContinuation),
  REVIEW_RECORD: byDomain(ReviewRecord),
  REVIEW_EXPORT: byDomain(ReviewExportPayload),
} as const satisfies Record<string, SignedForm>

export type SignedFormName = keyof typeof signedForms

const compiled = new Map<SignedFormName, TypeCheck<TSchema>>()

/** True if a signature for `form` may cover exactly this `value`. */
export function isSignedForm(form: SignedFormName, value: unknown): boolean {
  let check = compiled.get(form)
  if (!check) {
    check = TypeCompiler.Compile<TSchema>(signedForms[form].schema)
    compiled.set(form, check)
  }
  return check.Check(value)
}

/** Returns the form of a value. Null means that a signature may cover the value only as a free payload. */
export function signedFormOf(value: unknown): SignedFormName | null {
  const names = Object.keys(signedForms) as SignedFormName[]
  return names.find((name) => isSignedForm(name, value)) ?? null
}

/**
 * True for an object that could be read as a signed form, now or in the future. Signers refuse to sign such an object as a free payload, so
 * that nobody can be tricked into signing a mandate or a key event as a harmless text (rulings 3). The test is wider than the schemas on
 * purpose: it also matches an almost correct form.
 */
export function isReservedPayload(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  if (Object.hasOwn(value, "permitted_intent") || Object.hasOwn(value, "buyer_mandate")) return true
  return ["domain", "type"].some((member) => {
    const text = Object.hasOwn(value, member) ? (value as Record<string, unknown>)[member] : undefined
    return typeof text === "string" && text.startsWith("svc.")
  })
}
