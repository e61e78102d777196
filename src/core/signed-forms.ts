/**
 * Every form that is signed, with its closed schema. A verifier matches the schema before it looks at the signature, and no
 * value matches two, so a signature made for one purpose never counts for another (rulings 3). Nothing is prepended to the
 * signed bytes; what tells the forms apart lies inside them:
 * - a form we define carries its `domain`, a literal no other form has;
 * - the two forms the interface defines carry none: only the mandate has `permitted_intent`, only the decision request
 *   `buyer_mandate`. Their closed schemas admit no `domain`.
 */
import { type TSchema, Type } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { AgentStatusPayload } from "../../schemas/agent-id/identity.ts"
import { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { EventReceiptPayload } from "../../schemas/agent-id/proof.ts"
import { SignatureStatement } from "../../schemas/agent-id/signature.ts"
import { AnswerCapsulePayload } from "../../schemas/answer-capsule.ts"
import { closed, DateTime, Digest, Nonce } from "../../schemas/common.ts"
import { SignedSnapshotManifest } from "../../schemas/snapshot-manifest.ts"
import { text } from "../../schemas/text.ts"
import { BuyerDelegation, DelegationRecord } from "../../schemas/us/buyer-delegation.ts"
import { DelegationRevocation, MandateRevocation, RevocationRecord } from "../../schemas/us/buyer-revocation.ts"
import { CompanyPassportPayload } from "../../schemas/us/company-passport.ts"
import { MandatePayload } from "../../schemas/us/mandate.ts"
import { decisionRequestMembers, RequestingAgent } from "../../schemas/us/payment-decision.ts"
import { CapsulePayload } from "../../schemas/us/proof-capsule.ts"
import { vendorChangeMembers } from "../../schemas/us/vendor-change.ts"

/** What `request_signature` covers: the whole request but itself (Interface, "Payment Decision request"). */
export const SignedDecisionRequest = closed({
  ...decisionRequestMembers,
  requesting_agent: Type.Omit(RequestingAgent, ["request_signature"], { additionalProperties: false }),
})

/** What `authentication.signature` of a recovery covers (CHOICE: the interface does not show the bytes). */
export const SignedRecovery = closed({
  domain: Type.Literal("svc.payment-decision.recovery.v1"),
  audience: text(1, 512),
  request_digest: Digest,
  issued_at: DateTime,
  nonce: Nonce,
})

const exact = { additionalProperties: false } as const
/** Flat signed requests: the object without its signatures (rulings 2). */
export const SignedDelegation = Type.Omit(BuyerDelegation, ["signature", "agent_acceptance"], exact)
export const SignedDelegationRevocation = Type.Omit(DelegationRevocation, ["signature"], exact)
export const SignedMandateRevocation = Type.Omit(MandateRevocation, ["signature"], exact)

/** What `request_signature` of a US vendor change covers: the whole body but itself. */
export const SignedVendorChange = closed({
  ...vendorChangeMembers,
  requesting_agent: Type.Omit(RequestingAgent, ["request_signature"], exact),
})

interface SignedForm {
  /** The literal of its top-level `domain`; null for the two forms of the interface. */
  readonly domain: string | null
  /** The one member that only this form has. */
  readonly mark: string
  readonly schema: TSchema
}

/** A form with a domain: the literal stands in its schema, and nowhere else. */
function byDomain<T extends TSchema & { properties: { domain: { const: string } } }>(schema: T) {
  return { domain: schema.properties.domain.const, mark: "domain", schema } as const
}

export const signedForms = {
  MANDATE: { domain: null, mark: "permitted_intent", schema: MandatePayload },
  DECISION_REQUEST: { domain: null, mark: "buyer_mandate", schema: SignedDecisionRequest },
  RECOVERY: byDomain(SignedRecovery),
  VENDOR_CHANGE: byDomain(SignedVendorChange),
  DELEGATION: byDomain(SignedDelegation),
  DELEGATION_RECORD: byDomain(DelegationRecord),
  DELEGATION_REVOCATION: byDomain(SignedDelegationRevocation),
  MANDATE_REVOCATION: byDomain(SignedMandateRevocation),
  REVOCATION_RECORD: byDomain(RevocationRecord),
  KEY_EVENT: byDomain(KeyEvent),
  EVENT_RECEIPT: byDomain(EventReceiptPayload),
  IDENTITY_STATUS: byDomain(AgentStatusPayload),
  SIGNATURE_STATEMENT: byDomain(SignatureStatement),
  PROOF_CAPSULE: byDomain(CapsulePayload),
  ANSWER_CAPSULE: byDomain(AnswerCapsulePayload),
  COMPANY_PASSPORT: byDomain(CompanyPassportPayload),
  SNAPSHOT_MANIFEST: byDomain(SignedSnapshotManifest),
} as const satisfies Record<string, SignedForm>

export type SignedFormName = keyof typeof signedForms

const compiled = new Map<SignedFormName, TypeCheck<TSchema>>()

/** True when `value` is exactly what a signature for `form` may cover. */
export function isSignedForm(form: SignedFormName, value: unknown): boolean {
  let check = compiled.get(form)
  if (!check) {
    check = TypeCompiler.Compile<TSchema>(signedForms[form].schema)
    compiled.set(form, check)
  }
  return check.Check(value)
}

/** The form of a value, or null for one that no signature of ours may cover as anything but a free payload. */
export function signedFormOf(value: unknown): SignedFormName | null {
  const names = Object.keys(signedForms) as SignedFormName[]
  return names.find((name) => isSignedForm(name, value)) ?? null
}

/**
 * True for an object that could be read as one of our forms, now or later: signers refuse to sign it as a free payload, so
 * that nobody is talked into signing a mandate or a key event under the name of a harmless text (rulings 3). Deliberately
 * wider than the schemas: an almost-right form is refused too.
 */
export function isReservedPayload(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  if (Object.hasOwn(value, "permitted_intent") || Object.hasOwn(value, "buyer_mandate")) return true
  return ["domain", "type"].some((member) => {
    const text = Object.hasOwn(value, member) ? (value as Record<string, unknown>)[member] : undefined
    return typeof text === "string" && text.startsWith("svc.")
  })
}
