/** Proof capsules: of the Payment Decision, of one of the answer products, and the company passport. */
import type { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import { COMPANY_CHECK_PRODUCT } from "../../../schemas/us/company-check.ts"
import type { CompanyPassport } from "../../../schemas/us/company-passport.ts"
import type { ProofCapsule } from "../../../schemas/us/proof-capsule.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { digestOf } from "../../core/digest.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { waitingCapsules } from "../../store/log/sequenced-log.ts"
import {
  type DeliveredCapsule,
  findCapsuleOfAnswer,
  findCapsuleOfDelivery,
  findDeliveredAttachment,
} from "../../store/wallet/own-records.ts"
import type { SubjectDigests } from "./judge-reuse.ts"
import { NOT_KEPT, type OpenedArtifact, type OwnRecord, type WalletIssuer } from "./opened-artifact.ts"
import { checkStatement, failedCheck, issuerKeysOf } from "./signed-document.ts"

export type AnyCapsule = ProofCapsule | AnswerCapsule | CompanyPassport

type PassportVerifier = Pick<WalletIssuer, "verifyPassport">

export function openCapsule(document: AnyCapsule, caller: string, issuer: PassportVerifier): OpenedArtifact {
  if (isPassport(document)) return openPassport(document, issuer)
  return isDecisionCapsule(document) ? openDecisionCapsule(document, caller) : openAnswerCapsule(document)
}

function isPassport(document: AnyCapsule): document is CompanyPassport {
  return document.payload.domain === "svc.company-passport.v1"
}

function isDecisionCapsule(document: ProofCapsule | AnswerCapsule): document is ProofCapsule {
  return document.payload.domain === "svc.proof-capsule.v1"
}

function openDecisionCapsule(document: ProofCapsule, caller: string): OpenedArtifact {
  const { payload } = document
  return {
    ...signedMembers(document),
    ...windowOf(payload),
    environment: payload.environment,
    subject: payload.agent_id === caller ? "OWN" : "OTHER",
    product: payload.product,
    subjectDigests: digestsOf({
      "/buyer/organization_digest": payload.buyer_organization_digest,
      "/supplier/entity_id": payload.supplier_entity_id,
      "/invoice/obligation_id": payload.obligation_id,
      "/invoice/document_digest": payload.document_digest,
      "/payee/fingerprint": payload.payee_fingerprint,
      "/payment_destination/fingerprint": payload.payment_destination_fingerprint,
      "/amount": payload.amount,
      "/currency": payload.currency,
    }),
    reference: payload.core_digest,
    decision: payload.decision,
    *record() {
      return yield* sameCapsule(yield* findCapsuleOfAnswer(payload.decision_id), document.capsule_digest)
    },
    check: ({ key }) => checkStatement(document, document.capsule_digest, key),
  }
}

/** The capsule says nothing about the buyer, so it is nobody's own. */
export function openAnswerCapsule(document: AnswerCapsule): OpenedArtifact {
  const { payload } = document
  return {
    ...signedMembers(document),
    ...windowOf(payload),
    environment: payload.environment,
    subject: "NONE",
    product: payload.product,
    subjectDigests: { "": payload.request_digest },
    reference: payload.core_digest,
    decision: payload.decision,
    *record() {
      return yield* sameCapsule(yield* findCapsuleOfDelivery(payload.delivery_id), document.capsule_digest)
    },
    check: ({ key }) => checkStatement(document, document.capsule_digest, key),
  }
}

function openPassport(document: CompanyPassport, { verifyPassport }: PassportVerifier): OpenedArtifact {
  const { payload } = document
  const { identifiers } = payload.company
  return {
    ...signedMembers(document),
    ...windowOf(payload),
    environment: payload.environment,
    subject: "NONE",
    product: COMPANY_CHECK_PRODUCT,
    subjectDigests: digestsOf(
      Object.fromEntries(identifiers.map(({ kind, value }) => [`/company/identifiers/${kind}`, value])),
    ),
    reference: payload.check.core_digest,
    decision: payload.check.decision,
    *record() {
      const kept = yield* findDeliveredAttachment(payload.passport_id)
      if (!kept?.attachmentJson) return NOT_KEPT
      // The service wrote it.
      const { digest } = JSON.parse(kept.attachmentJson) as CompanyPassport
      return yield* recordOf(kept, digest === document.digest)
    },
    check: async ({ key, at }) => {
      const given = { bytes: canonicalBytes(document), keys: issuerKeysOf(key), at, reformatted: false }
      return failedCheck((await verifyPassport(given)).report)
    },
  }
}

function signedMembers(document: AnyCapsule) {
  const { payload, signature } = document
  return {
    digest: digestOf(payload),
    issuers: [signature.issuer, payload.issuer],
    signingKeyId: signature.key_id,
    keyUse: "statement",
    limitations: [],
    rejected: null,
    stored: document,
  } as const
}

function windowOf(payload: { readonly valid_as_of: string; readonly valid_until: string }) {
  return { validAsOf: payload.valid_as_of, validUntil: payload.valid_until }
}

export function digestsOf(values: Readonly<Record<string, string>>): SubjectDigests {
  return Object.fromEntries(Object.entries(values).map(([pointer, value]) => [pointer, digestOf(value)]))
}

function* sameCapsule(kept: DeliveredCapsule | null, digest: string): Unit<OwnRecord> {
  return kept?.capsuleDigest === digest ? yield* recordOf(kept, true) : NOT_KEPT
}

/** Without a leaf are a capsule that waits for it, and answers of the first release. */
function* recordOf({ deliveredAt, logIndex }: DeliveredCapsule, matches: boolean): Unit<OwnRecord> {
  if (logIndex !== null) return { matches, loggedAt: deliveredAt }
  const waiting = matches ? yield* waitingCapsules() : null
  return { matches, loggedAt: null, ...(waiting && { waiting }) }
}
