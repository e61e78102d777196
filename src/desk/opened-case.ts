/** A case as a reviewer sees it: the stored answer, and the bytes that a record names. */
import type { Case } from "../../schemas/case.ts"
import type { ReviewedCase } from "../../schemas/review.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { capsuleOf } from "../core/capsule/capsule-in-body.ts"
import { digestBytes, digestOf } from "../core/digest.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { type GivenAnswer, readStoredAnswer } from "../judgements/given-answer.ts"
import { caseIn } from "../pages/views/words.ts"
import { findCase, type ReviewCase } from "../store/review/review-cases.ts"
import { findAcquired } from "../store/sales/acquired.ts"
import type { DeskDeps } from "./deps.ts"
import { DeskRefusal } from "./desk-refusal.ts"

export interface OpenedCase {
  readonly row: ReviewCase
  readonly given: GivenAnswer
  readonly shown: Case
  /** Canonical JSON of the case. */
  readonly document: string
  /** What a record about the case names. */
  readonly about: ReviewedCase
}

/** Throws {@link DeskRefusal} if there is no such case. */
export async function openCase({ store }: Pick<DeskDeps, "store">, number: number): Promise<OpenedCase> {
  const row = await store.read(() => findCase(number))
  if (row === null) throw new DeskRefusal(404, `There is no case ${number}.`)
  const { requestId, product, payer, organizationId } = row
  const given = await readStoredAnswer(store, requestId)
  const stored = await store.read(() => findAcquired(requestId))
  const [answer, request, facts] = [given.answer, given.request, given.facts].map((one) => one as unknown as JsonValue)
  const shown = caseIn({ answer, request, facts })
  if (shown === null || stored === null) throw new TypeError("a case without an answer")
  const document = canonicalize(shown)
  const { payload } = JSON.parse(capsuleOf(stored)) as { readonly payload: object }
  const about: ReviewedCase = {
    ...{ number, product, payer, organization_id: organizationId },
    response_digest: digestOf(payload),
    facts_digest: digestOf(given.facts),
    case_digest: digestBytes(document),
  }
  return { row, given, shown, document, about }
}
