/**
 * Verifies a business answer offline with the capsule that was delivered with it. It accepts any copy: the paid one with its token, a
 * repetition, or the copy by execution id. All copies have the same core, and any edit of the core fails. The payment and the members that
 * differ between copies are not signed, and the report says so.
 */
import { Value } from "@sinclair/typebox/value"
import type { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import type { AnswerCore } from "../../../schemas/business-answer.ts"
import type { Case } from "../../../schemas/case.ts"
import { caseOf } from "../../case/case-of.ts"
import { findPolicy } from "../../checks/policy/find-policy.ts"
import { reasonsInWords } from "../../checks/policy/reasons-in-words.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { capsuleViewOfAnswer, coreOfAnswer, NO_TOKEN_ISSUED } from "../../core/capsule/answer-view.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import { examine, type Kind, type Step } from "../examine.ts"
import type { Report } from "../report.ts"
import {
  checkAgreement,
  checkBundledFacts,
  checkBytes,
  checkDigest,
  checkPolicy,
  noteBundledKeys,
  type RequestCheck,
} from "../steps/content.ts"
import { type OpenedDocument, permittingSteps } from "../steps/shared-steps.ts"
import { checkEnvironment } from "../steps/terms.ts"
import type { Stated, VerifyInput, VerifyResult } from "../verify-input.ts"
import { type AnswerDocument, type AnswerForm, readAnswerDocument, readCapsule } from "./answer-document.ts"

export interface VerifyAnswerInput extends VerifyInput {
  /** The capsule of an answer without a bundle. A bundle has its own capsule; a capsule given in addition must be equal to it. */
  readonly capsule?: Uint8Array
}

interface KnownAnswers extends VerifyAnswerInput {
  readonly answers: readonly AnswerForm[]
}

interface OpenedAnswer extends AnswerDocument<AnswerForm>, OpenedDocument {
  readonly capsule: AnswerCapsule
  readonly core: AnswerCore
}

type AnswerStep = Step<VerifyAnswerInput, OpenedAnswer>

export function verifyAnswer(input: VerifyAnswerInput, answers: readonly AnswerForm[]): VerifyResult {
  const { report, document } = examine(ANSWER, { ...input, answers })
  return { report, stated: document && statedBy(document, input.crypto), case: document && caseBy(document, input) }
}

function statedBy({ rules, answer, core, environment }: OpenedAnswer, { digestOf }: DocumentCrypto): Stated {
  return {
    product: answer.product_or_solution,
    decisionId: null,
    reference: digestOf(core),
    decision: answer.decision,
    machineAction: answer.machine_action,
    reasons: reasonsInWords(findPolicy(rules, answer.policy)?.reasons ?? null, answer),
    validUntil: answer.valid_until,
    environment,
  }
}

/** The report compares the request that a reader gives, so the case may show it. */
function caseBy({ rules, answer, bundle }: OpenedAnswer, { request }: VerifyInput): Case | null {
  const given = { request: bundle?.request ?? request, facts: bundle?.facts }
  return caseOf({ answer, ...given, policy: findPolicy(rules, answer.policy) })
}

function open(given: KnownAnswers, report: Report): OpenedAnswer | null {
  const document = readAnswerDocument(given.bytes, given.answers, report)
  if (!document) return null
  const { answer, value } = document
  checkBytes(report, "bytes", given.bytes, value)
  const capsule = capsuleOf(report, document, given)
  if (!capsule) return null
  const { environment } = capsule.payload
  if (!checkEnvironment(report, environment)) return null
  const core = coreOfAnswer(answer)
  return { ...document, capsule, core, signed: capsule, window: answer, environment, action: answer.machine_action }
}

/** Returns null after reporting why there is no signed document. */
function capsuleOf(
  report: Report,
  { answer, bundle }: AnswerDocument<unknown>,
  input: VerifyAnswerInput,
): AnswerCapsule | null {
  if (answer.delivery_id === "") {
    report.unchecked("capsule", `${answer.decision} is not a delivery: it was not charged, and it is not signed`)
    return null
  }
  const given = input.capsule && readCapsule(input.capsule, report)
  if (given) checkBytes(report, "capsule bytes", given.bytes, given.value)
  if (bundle) {
    const isSame = !given || canonicalize(given.capsule) === canonicalize(bundle.capsule)
    if (given) report.check("capsule given", isSame, { ok: "the bundle's own", invalid: "differs from the bundle's" })
    return bundle.capsule
  }
  if (given === undefined)
    report.unchecked("capsule", "the capsule of an answer is a separate file: give it with --capsule")
  return given?.capsule ?? null
}

const digests: AnswerStep = ({ report, document: { capsule, core }, given: { crypto } }) => {
  checkDigest(report, "core digest", crypto.digestOf(core), capsule.payload.core_digest)
  checkDigest(report, "capsule digest", crypto.digestOf(capsule.payload), capsule.capsule_digest)
  checkAgreement(report, capsuleViewOfAnswer(core, crypto.digestOf), capsule.payload)
}

/** The signed answer names its policy and its checksum. The checksum must equal that of the version in this program. */
const policy: AnswerStep = ({ report, document: { rules, answer }, given: { crypto } }) =>
  checkPolicy(report, findPolicy(rules, answer.policy), answer.policy.checksum, crypto)

/** The token itself is not signed. The statement that no token was issued is signed. */
const token: AnswerStep = ({ report, document }) => {
  const { limitations, result } = document.answer
  if (!limitations.includes(NO_TOKEN_ISSUED)) return
  const issued = (result as { readonly authorization_token?: string }).authorization_token
  report.check("token", !issued, {
    ok: "none, as the answer says",
    invalid: "the signed answer says that none was issued",
  })
}

const bundled: AnswerStep = ({ report, document: { rules, answer, capsule, bundle }, given: { crypto } }) => {
  if (bundle === null) return
  checkRequest(report, { check: "bundled request", question: "GENUINE", crypto }, { rules, capsule }, bundle.request)
  checkBundledFacts(report, bundle, crypto.digestOf(bundle.facts), capsule.payload.facts_digest)
  const isNamed = bundle.policy_checksum === answer.policy.checksum
  report.check("bundled policy", isNamed, { ok: bundle.policy_checksum, invalid: "not the checksum in the answer" })
  noteBundledKeys(report)
}

/** The request that the reader gave. */
const requested: AnswerStep = ({ report, document, given: { request, crypto } }) => {
  if (request !== undefined) checkRequest(report, { check: "request", question: "ASKED", crypto }, document, request)
}

const unsigned: AnswerStep = ({ report }) =>
  report.unsigned("payment, economic_activity, replayed, authorization_token", "not signed")

const ANSWER: Kind<KnownAnswers, OpenedAnswer> = {
  open,
  steps: permittingSteps({
    content: [digests, policy, token],
    compared: [bundled, requested],
    unsigned: [unsigned],
  }),
}

function checkRequest(
  report: Report,
  { check, question, crypto }: RequestCheck,
  { rules: { id, schemas }, capsule: { payload } }: Pick<OpenedAnswer, "rules" | "capsule">,
  request: unknown,
): void {
  if (!Value.Check(schemas.request, request)) report.unchecked(check, `not a request for ${id}`, question)
  else {
    const isAnswered = crypto.digestOf(request) === payload.request_digest
    report.check(check, isAnswered, { ok: payload.request_digest, invalid: "this answers another request" }, question)
  }
}
