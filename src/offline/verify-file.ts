/** Verifies a file offline, whatever its kind. The command `verify` and the page `/verify` both run this code. */
import { CommandError, EXIT } from "../base/exit.ts"
import { issuerKeysIn, jsonIn, requirePlace } from "./given/given-files.ts"
import type { Known, VerifyInputs } from "./given/verify-inputs.ts"
import { judgedAt, requiredTerms } from "./given/verify-terms.ts"
import { documentRow } from "./kinds/document-kinds.ts"
import { recogniseFile } from "./kinds/recognise-file.ts"
import { Report } from "./report.ts"
import type { VerifyInput, VerifyResult } from "./verify-input.ts"
import { type Judged, judged } from "./words/verdict-text.ts"

/** Throws CommandError: 2 for a value or a file that this kind of document does not use, 4 for a file that cannot be read. */
export async function verifyFile(inputs: VerifyInputs, known: Known, now: number): Promise<Judged> {
  const at = judgedAt(inputs.text("at"), now)
  const terms = requiredTerms(inputs.text)
  const { bytes } = await inputs.document()
  const issuer = await inputs.read("issuer")
  if (issuer === null) throw new CommandError(EXIT.USAGE, "the issuer's keys are missing: --issuer JWKS")
  const keys = issuerKeysIn(issuer, known)
  const request = await inputs.read("request")
  const result = await verifyKind(inputs, known, {
    bytes,
    keys,
    crypto: known.crypto,
    at,
    reformatted: inputs.reformatted,
    ...(request && { request: jsonIn(requirePlace("--request", request, known)) }),
    ...terms,
  })
  return judged(result, terms, { at, now })
}

async function verifyKind(inputs: VerifyInputs, known: Known, given: VerifyInput): Promise<VerifyResult> {
  const instead = recogniseFile(given.bytes, known.answers)
  if (instead !== null && instead.place !== "FILE") {
    const report = new Report()
    report.unchecked("document", instead.sentence)
    return { report, stated: null, case: null }
  }
  const row = documentRow(given.bytes)
  for (const [flag, why] of Object.entries(row.foreign)) {
    if (inputs.isGiven(flag)) throw new CommandError(EXIT.USAGE, `--${flag}: ${why}`)
  }
  return row.verify(given, inputs, known)
}
