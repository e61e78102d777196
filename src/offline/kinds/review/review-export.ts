/** Verifies an export of review records: each record in its place, its passkey, the policy at its time, its leaf in the log. */
import { ReviewExport } from "../../../../schemas/review.ts"
import { encodeBase64url } from "../../../core/bytes.ts"
import { openNote, readCheckpoint, type VerifierKey } from "../../../core/checkpoint.ts"
import type { JsonValue } from "../../../core/strict-json.ts"
import { formatInstant, instant, MINUTE } from "../../../core/time.ts"
import { examine, type Kind, type Step } from "../../examine.ts"
import { sha256 } from "../../portable/encoding.ts"
import type { Report } from "../../report.ts"
import { readForm } from "../../steps/shape.ts"
import { bytesStep, digestStep, environmentStep, revocationStep, signatureStep } from "../../steps/shared-steps.ts"
import type { VerifyInput, VerifyResult } from "../../verify-input.ts"
import { readSignedDocument } from "../signed-document.ts"
import { assertionFault } from "./assertions.ts"
import { leafFault } from "./leaves.ts"
import { caseFault, judgementFault } from "./outcomes.ts"
import { chainFault } from "./places.ts"
import { type Replayed, replayed } from "./replayed.ts"

interface VerifyReviewInput extends Omit<VerifyInput, "request" | "require"> {
  /** The log's key, obtained separately. Null: the checkpoint is as the export states it. */
  readonly logKey: VerifierKey | null
  /** Digests of records that must be there. */
  readonly records: readonly string[]
}

interface OpenedExport {
  readonly value: JsonValue
  readonly signed: ReviewExport
  readonly environment: "live" | "test"
  readonly again: Replayed
}

type ReviewStep = Step<VerifyReviewInput, OpenedExport>

const EXPORT: Kind<VerifyReviewInput, OpenedExport> = {
  open: ({ bytes, crypto }, report) => {
    const value = readSignedDocument(bytes, report)
    if (value === undefined) return null
    const line = {
      schema: ReviewExport,
      value,
      ok: "review export 1.0.0",
      invalid: "not a review export of its version",
    }
    const signed = readForm(report, "schema", line)
    if (signed === null) return null
    const { environment, entries } = signed.payload
    return { value, signed, environment, again: replayed(entries, crypto) }
  },
  steps: [
    bytesStep,
    digestStep,
    signatureStep,
    time,
    places,
    assertions,
    policy,
    outcomes,
    checkpoint,
    leaves,
    receipts,
    environmentStep,
    scope,
    revocationStep,
  ],
}

export function verifyReviewExport(input: VerifyReviewInput): VerifyResult {
  const { report, document } = examine(EXPORT, input)
  if (document === null) return { report, stated: null, case: null }
  const { payload, digest } = document.signed
  const stated = {
    product: payload.domain,
    decisionId: null,
    reference: digest,
    decision: null,
    machineAction: null,
    reasons: [],
    validUntil: payload.issued_at,
    environment: payload.environment,
  }
  return { report, stated, case: null }
}

/** Two correct clocks differ. */
const SKEW_MAX = MINUTE / 2

function time({ report, document: { signed }, given: { at } }: Parameters<ReviewStep>[0]): void {
  const { issued_at: issued } = signed.payload
  if (at < instant(issued) - SKEW_MAX) report.time("NOT_YET_VALID", `made ${issued}, judged at ${formatInstant(at)}`)
  else report.time("CURRENT", `the records as they were at ${issued}`)
}

/** Adds one line: what holds for all records, or the first that breaks it. */
function checkAll(report: Report, check: string, fault: string | null, ok: string): void {
  report.check(check, fault === null, { ok, invalid: fault ?? "" })
}

function places({ report, document: { signed }, given: { crypto } }: Parameters<ReviewStep>[0]): void {
  const { entries, entry_count: count, case_numbers: numbers } = signed.payload
  const of = numbers === null ? "" : ` of ${count}: those about ${numbers.length} cases, and those about reviewers`
  checkAll(report, "records", chainFault(signed.payload, crypto), `${entries.length}${of}, chained`)
}

function assertions({ report, document: { signed }, given: { crypto } }: Parameters<ReviewStep>[0]): void {
  const { entries } = signed.payload
  const count = entries.filter(({ assertion }) => assertion !== null).length
  checkAll(report, "passkeys", assertionFault(entries, crypto), `${count} records signed by the keys that they name`)
}

function policy({ report, document: { again } }: Parameters<ReviewStep>[0]): void {
  const { fault, admitted } = again
  checkAll(report, "policy", fault, "each record was allowed by those before it")
  for (const { name, why } of admitted) report.note("break glass", `${name} was enrolled without approvals: ${why}`)
}

function outcomes({ report, document: { signed, again } }: Parameters<ReviewStep>[0]): void {
  const { cases, judgements } = signed.payload
  const { books } = again
  checkAll(
    report,
    "cases",
    caseFault(signed.payload, books),
    `${cases.length}, in the states to which their records led`,
  )
  checkAll(
    report,
    "judgements",
    judgementFault(signed.payload, books),
    `${judgements.length}, each with the records that it needs`,
  )
}

function checkpoint({ report, document: { signed }, given: { crypto, logKey } }: Parameters<ReviewStep>[0]): void {
  if (logKey === null) {
    report.note("log key", "none was given, so the head of the log is what the service says")
    return
  }
  const opened = openNote(signed.payload.checkpoint, [logKey], {
    sha256,
    verify: (key, message, signature) => {
      const x = encodeBase64url(key)
      return crypto.checkPublicKey(x) === null && crypto.verifySignature(x, message, encodeBase64url(signature))
    },
  })
  const isOwn = !("fault" in opened) && readCheckpoint(opened.text)?.origin === logKey.name
  report.check("log key", isOwn, {
    ok: `the checkpoint is signed by the key given, of ${logKey.name}`,
    invalid: "the checkpoint is not signed by the log key given",
  })
}

function leaves({ report, document: { signed }, given: { crypto } }: Parameters<ReviewStep>[0]): void {
  const { entries, checkpoint: note } = signed.payload
  const head = readCheckpoint(note.slice(0, note.lastIndexOf("\n\n") + 1))
  const of = head === null ? "" : ` of ${head.origin}, ${head.size} leaves`
  checkAll(report, "log", leafFault(entries, head, crypto), `${entries.length} records are leaves${of}`)
}

/** Who has a receipt learns here whether its record was left out. */
function receipts({ report, document: { signed }, given: { crypto, records } }: Parameters<ReviewStep>[0]): void {
  if (records.length === 0) return
  const found = new Set<string>(signed.payload.entries.map(({ record }) => crypto.digestOf(record)))
  for (const digest of records) {
    report.check("record", found.has(digest), { ok: `${digest} is there`, invalid: `${digest} is missing` }, "ASKED")
  }
}

function scope({ report }: Parameters<ReviewStep>[0]): void {
  report.note(
    "scope",
    "the newest records may be left out by who has the service's key; compare with a receipt, or with the log. Nothing shows undeclared ties between persons, or one person under two names",
  )
}
