/** Selects the verifier of a file. The first members of every file for `verify` and `replay` name its kind. */
import { ANSWER_BUNDLE_FORMAT } from "../../schemas/answer-bundle.ts"
import { CompanyPassportPayload } from "../../schemas/us/company-passport.ts"
import { memberOf, readDocument } from "../documents/read-document.ts"
import { Report } from "../documents/report.ts"

export type DocumentKind = "DECISION" | "ANSWER" | "PASSPORT"

/** Returns `DECISION` also for an unknown document: that verifier then reports the fault. */
export function documentKind(bytes: Uint8Array): DocumentKind {
  const value = readDocument(bytes, new Report())?.value
  if (memberOf(value, "format") === ANSWER_BUNDLE_FORMAT) return "ANSWER"
  if (memberOf(value, "product_or_solution") !== undefined) return "ANSWER"
  const domain = memberOf(memberOf(value, "payload"), "domain")
  return domain === CompanyPassportPayload.properties.domain.const ? "PASSPORT" : "DECISION"
}
