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
import { examine, type Kind, type Step } from "../examine.ts"
import { Report } from "../report.ts"
import { differing } from "../steps/content.ts"
import { bytesStep, environmentStep, type OpenedDocument, revocationStep } from "../steps/shared-steps.ts"
import { checkEnvironment } from "../steps/terms.ts"
import type { VerifyInput, VerifyResult } from "../verify-input.ts"
import { readAnswerDocument } from "./answer-document.ts"
import { readSignedDocument, SIGNED_STEPS, statedBySigned } from "./signed-document.ts"

export interface VerifyPassportInput extends Omit<VerifyInput, "request" | "require"> {
  /** The answer of the check, in any copy, or its bundle. */
  readonly check?: Uint8Array
}

interface OpenedPassport extends Omit<OpenedDocument, "action"> {
  readonly signed: CompanyPassport
}

type PassportStep = Step<VerifyPassportInput, OpenedPassport>

export function verifyPassport(input: VerifyPassportInput): VerifyResult {
  const { report, document } = examine(PASSPORT, input)
  return { report, stated: document && statedBySigned(document.signed, document.environment), case: null }
}

function open({ bytes }: VerifyPassportInput, report: Report): OpenedPassport | null {
  const value = readSignedDocument(bytes, report)
  if (value === undefined) return null
  const isPassport = Value.Check(CompanyPassport, value)
  report.check("schema", isPassport, { ok: "passport 1.0.0", invalid: "not a passport of its version" })
  if (!isPassport) return null
  const { environment } = value.payload
  return checkEnvironment(report, environment) ? { value, signed: value, window: value.payload, environment } : null
}

const COMPANY_CHECK = { id: COMPANY_CHECK_PRODUCT, schemas: companyCheckSchemas }

const made: PassportStep = ({ report, document: { signed }, given: { check, crypto } }) => {
  if (check === undefined) report.note("check", "not compared with the answer it was made from (--check FILE)")
  else compareCheck(report, signed.payload, check, crypto.digestOf)
}

const scope: PassportStep = ({ report }) =>
  report.note("scope", "proves no more than the check did, and permits nothing")

const PASSPORT: Kind<VerifyPassportInput, OpenedPassport> = {
  open,
  steps: [bytesStep, ...SIGNED_STEPS, made, environmentStep, scope, revocationStep],
}

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
    {
      ok: digest,
      invalid: isMade ? `differs from the answer: ${wrong.join(", ")}` : "this passport was made from another answer",
    },
    "ASKED",
  )
}
