/** The organization's mandate for one request: created and signed here, or signed elsewhere and only checked here. */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { PAYMENT_INTENT } from "../../schemas/us/covered.ts"
import { BuyerMandate, type MandatePayload } from "../../schemas/us/mandate.ts"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { Machine } from "../base/machine.ts"
import { mandateDigest, requestDigest } from "../checks/policy/digests.ts"
import { DECISION_FEE_ATOMIC, mandateFault } from "../checks/us/mandate.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { isSignedForm } from "../core/signed-forms.ts"
import { type Signer, signValue } from "../core/signer.ts"
import { formatInstant, MINUTE } from "../core/time.ts"
import type { RequestDraft } from "./forms/request-draft.ts"

/** The service's clock may be slightly behind this machine's clock. */
const BACKDATED_MS = MINUTE
const checkMandate = TypeCompiler.Compile(BuyerMandate)

/** Signs a mandate for exactly this request: this amount, this payee and this fee, and no more. */
export function signMandate(
  draft: RequestDraft,
  signer: Signer,
  validMinutes: number,
  machine: Pick<Machine, "now" | "random">,
): BuyerMandate {
  const mandateId = `mdt_${encodeBase64url(machine.random(16))}`
  const payload: MandatePayload = {
    schema_version: "1.0.0",
    mandate_id: mandateId,
    mandate_version: "1.0.0",
    issuer: signer.issuer,
    subject_agent_id: draft.requesting_agent.agent_id,
    buyer_organization: draft.buyer.organization_id,
    buyer_organization_digest: draft.buyer.organization_digest,
    supplier_entity_id: draft.supplier.entity_id,
    key_id: signer.keyId,
    request_digest: digestOfDraft(draft),
    payee_fingerprint: draft.payee.fingerprint,
    permitted_intent: PAYMENT_INTENT,
    max_payment_amount: draft.amount,
    currency: draft.currency,
    max_decision_fee_atomic: String(DECISION_FEE_ATOMIC),
    valid_from: formatInstant(machine.now() - BACKDATED_MS),
    valid_until: formatInstant(machine.now() + validMinutes * MINUTE),
    nonce: encodeBase64url(machine.random(24)),
    revocation_reference: `urn:svc:mandate:${mandateId}`,
  }
  if (!isSignedForm("MANDATE", payload)) {
    throw new CommandError(
      EXIT.USAGE,
      "no mandate can be made: an identifier in the request does not have the form that a mandate requires",
    )
  }
  return { payload, mandate_digest: mandateDigest(payload), signature: signValue(signer, payload) }
}

/** Throws CommandError (3) if the mandate does not belong to this request. The service checks its signature. */
export function checkedMandate(
  value: unknown,
  draft: RequestDraft,
  machine: Pick<Machine, "now" | "random">,
): BuyerMandate {
  if (!checkMandate.Check(value)) throw refusal("it does not have the form of a mandate")
  const { payload, mandate_digest: digest } = value
  if (mandateDigest(payload) !== digest) throw refusal("its mandate_digest does not recompute")
  const ofOrganization = payload.issuer === draft.buyer.organization_id
  const fault = mandateFault(payload, { ...draft, buyer_mandate: value } as DecisionRequest, {
    requestDigest: digestOfDraft(draft),
    at: machine.now(),
    signerKind: ofOrganization ? "ORGANIZATION" : "DELEGATED",
    signerAgentId: ofOrganization ? null : payload.issuer,
  })
  if (fault) throw refusal(fault)
  return value
}

/** The request digest excludes mandate and signature, so it can be computed before either exists. */
function digestOfDraft(draft: RequestDraft) {
  return requestDigest({ ...draft, buyer_mandate: {} as BuyerMandate })
}

function refusal(why: string): CommandError {
  return new CommandError(EXIT.INVALID, `the mandate does not belong to this request: ${why}`)
}
