/** An organization revokes a delegation or a mandate. The revocation takes effect in the transaction that replies. */
import type {
  DelegationRevocation,
  MandateRevocation,
  RevocationRecord,
} from "../../../../schemas/us/buyer-revocation.ts"
import { ServiceError } from "../../../base/errors.ts"
import { canonicalBytes, canonicalize } from "../../../core/canonical-json.ts"
import { type Digest, digestBytes } from "../../../core/digest.ts"
import { verifySignature } from "../../../core/ed25519.ts"
import { signedAnswer } from "../../../core/signer.ts"
import { formatInstant, instant, SECOND } from "../../../core/time.ts"
import { without } from "../../../core/without.ts"
import type { Call, Reply } from "../../../http/call.ts"
import type { RevocationKind } from "../../../store/buyers/buyer-revocations.ts"
import { findMandateKey } from "../../../store/buyers/buyers.ts"
import type { OnboardingRouteDeps } from "./deps.ts"
import { invalid, requireAudience, requireIssuer } from "./own-words.ts"
import { recordRevocation } from "./record-revocation.ts"

const ISSUED_AT_SECONDS_MAX = 300

/** What an organization revokes, with its signed statement. `at` in milliseconds. */
interface Revocation {
  readonly body: DelegationRevocation | MandateRevocation
  readonly kind: RevocationKind
  readonly subjectId: string
  readonly mandateDigest: string | null
  readonly at: number
}

export async function revokeDelegation(
  deps: OnboardingRouteDeps,
  { body, params, at }: Call<DelegationRevocation>,
): Promise<Reply> {
  if (params["delegationId"] !== body.delegation_id) {
    throw invalid("/delegation_id", "PATH", "delegation_id must be the one in the path.", "the id in the path")
  }
  return revoke(deps, { body, kind: "DELEGATION", subjectId: body.delegation_id, mandateDigest: null, at })
}

export async function revokeMandate(deps: OnboardingRouteDeps, { body, at }: Call<MandateRevocation>): Promise<Reply> {
  return revoke(deps, { body, kind: "MANDATE", subjectId: body.mandate_id, mandateDigest: body.mandate_digest, at })
}

/**
 * CHOICE: a revoked organization, or one whose verification ended, may still revoke, because this only reduces what can be done in its
 * name. Its mandate key must be ACTIVE: the finder of a revoked key must not stop payments with it.
 */
async function revoke(deps: OnboardingRouteDeps, revocation: Revocation): Promise<Reply> {
  const { body, at } = revocation
  requireAudience(body.audience, deps.baseUrl())
  requireIssuer(body.signature, body.organization_id, "/signature")
  const issuedAt = instant(body.issued_at)
  const content = canonicalBytes(without(body, "signature"))
  const key = await deps.store.read(() => findMandateKey(body.organization_id, body.signature.key_id))
  const signed = verifySignature(key?.x ?? deps.decoy, content, body.signature.value)
  if (!signed || key?.state !== "ACTIVE") throw refused()

  const contentDigest = digestBytes(content)
  const answer = signedRecord(deps, revocation, contentDigest)
  const outcome = await deps.store.run(() =>
    recordRevocation(
      {
        organizationId: body.organization_id,
        kind: revocation.kind,
        subjectId: revocation.subjectId,
        contentDigest,
        document: canonicalize(body),
        answer,
        signedByKeyId: body.signature.key_id,
        revokedAt: formatInstant(at),
      },
      {
        value: body.nonce,
        fresh: Math.abs(at - issuedAt) <= ISSUED_AT_SECONDS_MAX * SECOND,
        // `issued_at` may lie 300 s in the future, so the same bytes remain acceptable for 600 s.
        expiresAt: formatInstant(at + 2 * ISSUED_AT_SECONDS_MAX * SECOND),
      },
    ),
  )
  switch (outcome.kind) {
    case "REVOKED":
      return { status: 200, body: outcome.answer }
    case "REFUSED":
      throw refused()
    case "STALE":
      throw refused("ISSUED_AT_OUT_OF_WINDOW")
    case "NONCE_USED":
      throw new ServiceError("REVOCATION_REPLAYED", "Sign again with a new nonce and issued_at.")
    case "DELEGATION_UNKNOWN":
      throw new ServiceError("DELEGATION_NOT_FOUND", "This organization has no such delegation.")
  }
}

function refused(...reasonCodes: string[]): ServiceError {
  return new ServiceError("REVOCATION_REFUSED", "Nothing was revoked.", { reasonCodes })
}

function signedRecord(
  deps: OnboardingRouteDeps,
  { body, kind, subjectId, mandateDigest, at }: Revocation,
  contentDigest: Digest,
): string {
  const signer = deps.signer()
  const revokedAt = formatInstant(at)
  const record: RevocationRecord = {
    schema_version: "1.0.0",
    domain: "svc.buyer-revocation-record.v1",
    issuer: signer.issuer,
    audience: deps.baseUrl(),
    kind,
    organization_id: body.organization_id,
    subject_id: subjectId,
    mandate_digest: mandateDigest,
    state: "REVOKED",
    revoked_at: revokedAt,
    revocation_digest: contentDigest,
    signed_by_key_id: body.signature.key_id,
    limitations: ["DELIVERED_DECISIONS_STAY_DELIVERED"],
    valid_as_of: revokedAt,
    valid_until: null,
    next_machine_action: "STOP_USING",
  }
  return canonicalize(signedAnswer(signer, record))
}
