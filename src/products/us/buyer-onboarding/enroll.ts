/** Records a delegation that a verified organization signed and the agent accepted. */
import type { BuyerDelegation, DelegationRecord } from "../../../../schemas/us/buyer-delegation.ts"
import { ServiceError } from "../../../base/errors.ts"
import { canonicalBytes, canonicalize } from "../../../core/canonical-json.ts"
import { type Digest, digestBytes } from "../../../core/digest.ts"
import { verifySignature } from "../../../core/ed25519.ts"
import { formatId, ID_RANDOM_BYTES } from "../../../core/ids.ts"
import { keyOwner } from "../../../core/key-owner.ts"
import { amountMillionths } from "../../../core/money.ts"
import { type Signer, signedAnswer } from "../../../core/signer.ts"
import { DAY, formatInstant, instant } from "../../../core/time.ts"
import { without } from "../../../core/without.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { notAdmittedError } from "../../../http/free-writes.ts"
import { findMandateKey, findOrganization, type Organization } from "../../../store/buyers/buyers.ts"
import type { NotAdmitted } from "../../../store/free-writes/admit.ts"
import { findAgentKey } from "../../../store/identity/agent-identity.ts"
import type { OnboardingRouteDeps } from "./deps.ts"
import { invalid, requireAudience, requireIssuer } from "./own-words.ts"
import { type DelegationOutcome, recordDelegation } from "./record-delegation.ts"

/** CHOICE: a delegation lasts at most 400 days, which is a year and some notice. Longer trust requires a new signature. */
const DELEGATION_DAYS_MAX = 400

export async function enroll(deps: OnboardingRouteDeps, call: Call<BuyerDelegation>): Promise<Reply> {
  const { body, at } = call
  const writer = call.writer()
  requireOwnWords(body, deps.baseUrl(), at)
  const content = canonicalBytes(without(body, "signature", "agent_acceptance"))
  const { organization, mandateKey, agentKey } = await deps.store.read(() => parties(body))
  // Always verifies both signatures and computes every condition before it uses any result, so that the time reveals nothing.
  const signed = verifySignature(mandateKey?.x ?? deps.decoy, content, body.signature.value)
  const accepted = verifySignature(agentKey?.x ?? deps.decoy, content, body.agent_acceptance.value)
  const keyActive = mandateKey?.state === "ACTIVE"
  const verified = isVerified(organization, body.organization_digest, at)
  if (![signed, keyActive, verified].every(Boolean)) throw refused()
  // From here on the caller is the organization itself and may learn more.
  if (!agentKey || !accepted) throw refused("AGENT_ACCEPTANCE_INVALID")

  const delegationId = formatId("dgn", deps.machine.random(ID_RANDOM_BYTES))
  const contentDigest = digestBytes(content)
  const entry = { delegationId, contentDigest, audience: deps.baseUrl(), at }
  const answer = signedRecord(deps.signer(), delegationRecord(body, entry))
  const outcome = await deps.store.run(() =>
    recordDelegation(
      {
        delegationId,
        organizationId: body.organization_id,
        agentId: body.agent_id,
        keyId: body.key_id,
        keyOwner: keyOwner(agentKey.x),
        scope: body.scope,
        permittedIntents: body.permitted_intents,
        maxPaymentAmount: body.max_payment_amount,
        maxTotalAmount: body.max_total_amount,
        maxRequestsPerDay: body.max_requests_per_day,
        currency: body.currency,
        validFrom: formatInstant(instant(body.valid_from)),
        validUntil: formatInstant(instant(body.valid_until)),
        signedByKeyId: body.signature.key_id,
        nonce: body.nonce,
        idempotencyKey: body.idempotency_key,
        contentDigest,
        document: canonicalize(body),
        answer,
        recordedAt: formatInstant(at),
      },
      writer,
      (found) => isVerified(found, body.organization_digest, at),
    ),
  )
  if (outcome.kind === "NOT_ADMITTED") throw notAdmittedError(outcome, at)
  return replyOf(outcome)
}

function requireOwnWords(body: BuyerDelegation, baseUrl: string, at: number): void {
  requireAudience(body.audience, baseUrl)
  requireIssuer(body.signature, body.organization_id, "/signature")
  requireIssuer(body.agent_acceptance, body.agent_id, "/agent_acceptance")
  if (body.agent_acceptance.key_id !== body.key_id) {
    throw invalid(
      "/agent_acceptance/key_id",
      "KEY_ID",
      "The delegated key must accept with its own signature.",
      "the value of /key_id",
    )
  }
  if (body.scope.includes("SIGN_MANDATE") && body.scope.includes("SIGN_REQUEST")) {
    throw invalid(
      "/scope",
      "SCOPES_CONFLICT",
      "One key never signs both requests and mandates.",
      "not SIGN_MANDATE together with SIGN_REQUEST",
    )
  }
  const from = instant(body.valid_from)
  const until = instant(body.valid_until)
  if (until <= from || until <= at) {
    throw invalid(
      "/valid_until",
      "WINDOW_EMPTY",
      "The window must have time left and end after its start.",
      "date-time after now and after valid_from",
    )
  }
  if (until - from > DELEGATION_DAYS_MAX * DAY) {
    throw invalid(
      "/valid_until",
      "WINDOW_TOO_LONG",
      `A delegation lasts at most ${DELEGATION_DAYS_MAX} days.`,
      `date-time at most ${DELEGATION_DAYS_MAX} days after valid_from`,
    )
  }
  if (amountMillionths(body.max_payment_amount) === 0n) {
    throw new ServiceError("AMOUNT_ZERO", "max_payment_amount zero would delegate nothing.")
  }
}

/** Always looks up all three, so that a miss costs the same as a hit. */
function* parties(body: BuyerDelegation) {
  const organization = yield* findOrganization(body.organization_id)
  const mandateKey = yield* findMandateKey(body.organization_id, body.signature.key_id)
  const agentKey = yield* findAgentKey(body.agent_id, body.key_id)
  return { organization, mandateKey, agentKey }
}

/**
 * True if the operator registered the organization, it is not revoked, its verification is current, and it is the organization that was
 * verified.
 */
function isVerified(organization: Organization | null, digest: string, at: number): boolean {
  return (
    organization?.state === "ACTIVE" &&
    organization.organizationDigest === digest &&
    instant(organization.verification.verifiedAt) <= at &&
    at < instant(organization.verification.validUntil)
  )
}

function refused(...reasonCodes: string[]): ServiceError {
  return new ServiceError("DELEGATION_REFUSED", "Nothing was recorded.", { reasonCodes })
}

/** What the service adds to a delegation that it records. `at` in milliseconds. */
interface DelegationEntry {
  readonly delegationId: string
  /** Of the delegation without its two signatures. */
  readonly contentDigest: Digest
  readonly audience: string
  readonly at: number
}

function delegationRecord(
  body: BuyerDelegation,
  { delegationId, contentDigest, audience, at }: DelegationEntry,
): Omit<DelegationRecord, "issuer"> {
  const recordedAt = formatInstant(at)
  return {
    schema_version: "1.0.0",
    domain: "svc.buyer-delegation-record.v1",
    audience,
    delegation_id: delegationId,
    delegation_digest: contentDigest,
    delegation: without(
      body,
      "schema_version",
      "domain",
      "audience",
      "nonce",
      "idempotency_key",
      "signature",
      "agent_acceptance",
    ),
    signed_by_key_id: body.signature.key_id,
    recorded_at: recordedAt,
    limitations: ["NO_PAYMENT_AUTHORITY_WITHOUT_MANDATE", "REVOCABLE_AT_ANY_TIME", "ENDS_WITH_SIGNING_KEY"],
    valid_as_of: recordedAt,
    valid_until: formatInstant(instant(body.valid_until)),
    next_machine_action: "SIGN_WITHIN_DELEGATION",
  }
}

function signedRecord(signer: Signer, record: Omit<DelegationRecord, "issuer">): string {
  return canonicalize(signedAnswer<DelegationRecord>(signer, { issuer: signer.issuer, ...record }))
}

function replyOf(outcome: Exclude<DelegationOutcome, NotAdmitted>): Reply {
  switch (outcome.kind) {
    case "RECORDED":
      return { status: 201, body: outcome.answer }
    case "REPEATED":
      return { status: 200, body: outcome.answer }
    case "REFUSED":
      throw refused()
    case "AGENT_KEY_NOT_ACTIVE":
      throw refused("AGENT_KEY_NOT_ACTIVE")
    case "REPLAYED":
      throw new ServiceError("DELEGATION_REPLAYED", "Another delegation was enrolled with it before; use a new one.")
    case "REVOKED":
      throw new ServiceError(
        "DELEGATION_REPLAYED",
        "This delegation was revoked; the same bytes are never accepted again.",
        {
          reasonCodes: ["DELEGATION_REVOKED"],
        },
      )
    case "KEY_ROLES_CONFLICT":
      throw new ServiceError("KEY_ROLES_CONFLICT", "Request, mandate and organization keys are different keys.")
    case "LIMIT_REACHED":
      throw new ServiceError("DELEGATION_LIMIT_REACHED", "Delegate a new key.")
  }
}
