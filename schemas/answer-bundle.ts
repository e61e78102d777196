import { type TObject, type TSchema, Type } from "@sinclair/typebox"
import { AnswerCapsule } from "./answer-capsule.ts"
import type { AnswerFacts } from "./answer-facts.ts"
import { ANSWER_BUNDLE_FORMATS, type AnswerBundleFormat, factsOfFormat } from "./bundle-formats.ts"
import type { BusinessAnswer } from "./business-answer.ts"
import { closed, Digest } from "./common.ts"
import { Jwks } from "./discovery/jwks.ts"
import { SnapshotReference } from "./source-fact.ts"

/**
 * One delivered business answer as a file that verifies and replays elsewhere. `answer` is the stored body: without its token and not
 * replayed. `issuer_jwks` is a convenience and never a reason for trust.
 */
export function answerBundle(
  product: { readonly answer: TSchema; readonly request: TSchema; readonly facts: TObject },
  format: AnswerBundleFormat,
) {
  return closed({
    ...factsOfFormat(product.facts, ANSWER_BUNDLE_FORMATS, format),
    answer: product.answer,
    capsule: AnswerCapsule,
    request: product.request,
    policy_checksum: Digest,
    issuer_jwks: Jwks,
    snapshots: Type.Array(SnapshotReference),
  })
}

/** The bundle of any product, for code that treats all products alike. Each product's own schema is closed and exact. */
export interface AnswerBundle {
  readonly format: AnswerBundleFormat
  readonly answer: BusinessAnswer
  readonly capsule: AnswerCapsule
  readonly request: { readonly idempotency_key: string }
  readonly facts: AnswerFacts
  readonly policy_checksum: string
  readonly issuer_jwks: Jwks
  readonly snapshots: readonly SnapshotReference[]
}
