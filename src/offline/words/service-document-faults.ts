/** The lines of a report in the words of SVC-SERVICE-DOCUMENT-VERIFY-1: a reason code and a sentence for each that did not pass. */
import type { OpenedServiceDocument } from "../kinds/service-document.ts"
import type { Report, ReportLine } from "../report.ts"
import { Fault } from "../steps/fault.ts"
import type { Passed } from "../steps/run.ts"

/** The checks of a step, and the one whose detail the step repeats when all passed. */
const STEPS = {
  SIGNATURE: { checks: ["digest", "issuer", "signature", "key status", "key window"], repeats: "signature" },
  TIMES: { checks: ["time"], repeats: "time" },
} as const

/** Throws {@link Fault} for the first check of the step that did not pass. */
export function requirePassed(step: keyof typeof STEPS, report: Report, document: OpenedServiceDocument): Passed<null> {
  const { checks, repeats } = STEPS[step]
  const lines = report.lines.filter(({ check }) => checks.some((name) => name === check))
  const failed = lines.find(({ state }) => state !== "OK")
  if (failed) throw faultOf(failed, report, document)
  return { value: null, detail: lines.find(({ check }) => check === repeats)?.detail ?? "" }
}

/** Lines that are invalid for one reason only. */
const INVALID: Readonly<Record<string, readonly [code: string, sentence: string]>> = {
  digest: ["DIGEST_MISMATCH", "The digest is not that of the payload."],
  issuer: ["ISSUER_DIFFERS", "Payload and signature name different issuers."],
  signature: ["SIGNATURE_INVALID", "The signature does not verify."],
  "key status": ["KEY_REVOKED", "The key is revoked; nothing proves that it signed before."],
  "key window": ["KEY_NOT_IN_USE", "The document was issued outside the key's nbf and exp."],
  time: ["TIME_INVALID", "A time of the document is not in the calendar."],
}

function faultOf({ check, state }: ReportLine, { currency }: Report, { signed, window }: OpenedServiceDocument): Fault {
  if (state === "UNCHECKED") {
    const sentence = `Key ${signed.signature.key_id} is not among the issuer keys given.`
    return new Fault("KEY_UNKNOWN", sentence, "NOT_CHECKED")
  }
  if (check === "time" && currency === "NOT_YET_VALID") {
    return new Fault(currency, `Not valid before ${window.valid_as_of}.`)
  }
  if (check === "time" && currency === "EXPIRED") return new Fault(currency, `Expired ${window.valid_until}.`)
  const [code, sentence] = INVALID[check] ?? ["", ""]
  if (code === "") throw new TypeError(`the procedure has no words for ${check}`)
  return new Fault(code, sentence)
}
