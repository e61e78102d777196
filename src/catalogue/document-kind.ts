/** Which verifier reads a file: everything `verify` and `replay` are given says in its first members what it is. */
import { ANSWER_BUNDLE_FORMAT } from "../../schemas/answer-bundle.ts"
import { CompanyPassportPayload } from "../../schemas/us/company-passport.ts"
import { memberOf, readDocument } from "../documents/read-document.ts"
import { Report } from "../documents/report.ts"

export type DocumentKind = "DECISION" | "ANSWER" | "PASSPORT"

/** `DECISION` also for what is no document of ours: its verifier then says what is wrong with it. */
export function documentKind(bytes: Uint8Array): DocumentKind {
  const value = readDocument(bytes, new Report())?.value
  if (memberOf(value, "format") === ANSWER_BUNDLE_FORMAT) return "ANSWER"
  if (memberOf(value, "product_or_solution") !== undefined) return "ANSWER"
  const domain = memberOf(memberOf(value, "payload"), "domain")
  return domain === CompanyPassportPayload.properties.domain.const ? "PASSPORT" : "DECISION"
}
