/**
 * Verifies a company passport offline. If the answer of the check is present, also verifies that the passport states what the check proved.
 */
import { Value } from "@sinclair/typebox/value"
import type { AnswerCore } from "../../../schemas/business-answer.ts"
import {
  COMPANY_CHECK_PRODUCT,
  type CompanyCheckResult,
  companyCheckSchemas,
} from "../../../schemas/us/company-check.ts"
import { CompanyPassport, type CompanyPassportPayload } from "../../../schemas/us/company-passport.ts"
import { coreOfAnswer } from "../../core/capsule/answer-view.ts"
import { passportViewOfCheck } from "../../core/capsule/passport-view.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import { Report } from "../report.ts"
import {
  checkBytes,
  checkDigest,
  checkEnvironment,
  checkTime,
  differing,
  noteRevocation,
  sayEnvironment,
  type VerifyInput,
  type VerifyResult,
} from "../steps/check-document.ts"
import { checkSignature } from "../steps/issuer-keys.ts"
import { memberOf, readDocument } from "../steps/read-document.ts"
import { readAnswerDocument } from "./answer-document.ts"

export interface VerifyPassportInput extends Omit<VerifyInput, "request" | "require"> {
  /** The answer of the check, in any copy, or its bundle. */
  readonly check?: Uint8Array
}

export function verifyPassport(input: VerifyPassportInput): VerifyResult {
  const { digestOf } = input.crypto
  const report = new Report(input.reformatted)
  const document = readDocument(input.bytes, report)
  if (!document) return { report, stated: null }
  const { value } = document
  if (memberOf(memberOf(value, "payload"), "schema_version") !== "1.0.0") {
    report.unchecked("document", "unknown version")
    return { report, stated: null }
  }
  if (!report.check("schema", Value.Check(CompanyPassport, value), "passport 1.0.0", "not a passport of its version")) {
    return { report, stated: null }
  }
  // The schema has already accepted it.
  const passport = value as unknown as CompanyPassport
  const { payload } = passport
  const { environment } = payload
  if (!checkEnvironment(report, environment)) return { report, stated: null }
  checkBytes(report, "bytes", input.bytes, value)
  checkDigest(report, "digest", digestOf(payload), passport.digest)
  checkSignature(report, passport, input)
  checkTime(report, payload, input.at)
  if (input.check === undefined) report.note("check", "not compared with the answer it was made from (--check FILE)")
  else compareCheck(report, payload, input.check, digestOf)
  sayEnvironment(report, input, environment)
  report.note("scope", "proves no more than the check did, and permits nothing")
  noteRevocation(report)
  return {
    report,
    stated: {
      product: payload.domain,
      decisionId: null,
      reference: passport.digest,
      decision: null,
      machineAction: null,
      reasons: [],
      validUntil: payload.valid_until,
      environment,
    },
  }
}

const COMPANY_CHECK = { id: COMPANY_CHECK_PRODUCT, schemas: companyCheckSchemas }

function compareCheck(
  report: Report,
  passport: CompanyPassportPayload,
  check: Uint8Array,
  digestOf: DocumentCrypto["digestOf"],
): void {
  const records = new Report()
  const read = readAnswerDocument(check, [COMPANY_CHECK], records)
  if (!read) {
    const why = records.lines.find(({ state }) => state !== "OK")?.detail ?? ""
    report.unchecked("check", `not an answer of a company check: ${why}`, "ASKED")
    return
  }
  // The product's own schema has already accepted the result.
  const core = coreOfAnswer(read.answer) as AnswerCore<CompanyCheckResult>
  const digest = digestOf(core)
  const isMade = digest === passport.check.core_digest
  const wrong = isMade ? differing(passportViewOfCheck(core, digestOf), passport) : []
  report.check(
    "check",
    isMade && wrong.length === 0,
    digest,
    isMade ? `differs from the answer: ${wrong.join(", ")}` : "this passport was made from another answer",
    "ASKED",
  )
}
