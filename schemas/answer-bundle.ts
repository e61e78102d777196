import { type TSchema, Type } from "@sinclair/typebox"
import { AnswerCapsule } from "./answer-capsule.ts"
import type { AnswerFacts } from "./answer-facts.ts"
import type { BusinessAnswer } from "./business-answer.ts"
import { closed, Digest } from "./common.ts"
import { Jwks } from "./discovery/jwks.ts"
import { SnapshotReference } from "./source-fact.ts"

export const ANSWER_BUNDLE_FORMAT = "svc.answer-bundle.v1"

/**
 * One delivered business answer as a file that verifies and replays elsewhere. `answer` is the stored body: without its token and not
 * replayed. `issuer_jwks` is a convenience and never a reason for trust.
 */
export function answerBundle<A extends TSchema, R extends TSchema, F extends TSchema>(product: {
  readonly answer: A
  readonly request: R
  readonly facts: F
}) {
  return closed({
    format: Type.Literal(ANSWER_BUNDLE_FORMAT),
    answer: product.answer,
    capsule: AnswerCapsule,
    request: product.request,
    facts: product.facts,
    policy_checksum: Digest,
    issuer_jwks: Jwks,
    snapshots: Type.Array(SnapshotReference),
  })
}

/** The bundle of any product, for code that treats all products alike. Each product's own schema is closed and exact. */
export interface AnswerBundle {
  readonly format: typeof ANSWER_BUNDLE_FORMAT
  readonly answer: BusinessAnswer
  readonly capsule: AnswerCapsule
  readonly request: { readonly idempotency_key: string }
  readonly facts: AnswerFacts
  readonly policy_checksum: string
  readonly issuer_jwks: Jwks
  readonly snapshots: readonly SnapshotReference[]
}
