/**
 * Verifies the deliverable of an ACP job offline: the signed response inside, and what binds it to the requirement, the job and the submitted
 * hash. Only the response is signed. The hash in the event `JobSubmitted` covers every byte, so a buyer gives it from the chain.
 */
import { Value } from "@sinclair/typebox/value"
import { AcpDeliverable } from "../../../schemas/acp/deliverable.ts"
import { AcpRequirement } from "../../../schemas/acp/requirement.ts"
import { ACP_DELIVERABLE_BYTES_MAX } from "../../../schemas/acp/terms.ts"
import { canonicalBytes, canonicalize } from "../../core/canonical-json.ts"
import {
  type DeliverableExpectations,
  type DeliverableFault,
  type DeliverableFaultCode,
  memberFaults,
} from "../../core/jobs/deliverable-rules.ts"
import { keccak256 } from "../../core/keccak256.ts"
import { type JsonValue, memberOf } from "../../core/strict-json.ts"
import { digestedRequest } from "../../core/unsigned-request.ts"
import { examine, type Kind, type Step } from "../examine.ts"
import type { Question, Report } from "../report.ts"
import { readDocument } from "../steps/read.ts"
import { readForm } from "../steps/shape.ts"
import { bytesStep, permittingSteps } from "../steps/shared-steps.ts"
import type { VerifyInput, VerifyResult } from "../verify-input.ts"
import {
  caseBy,
  checkRequest,
  DELIVERY_DIGESTS,
  type OpenedDelivery,
  openDelivery,
  requestStep,
  statedBy,
} from "./decision.ts"
import type { DecisionForm } from "./decision-document.ts"

export interface VerifyDeliverableInput extends VerifyInput, Omit<DeliverableExpectations, "requirement"> {
  /** The parsed final requirement that the buyer sent. */
  readonly requirement?: unknown
}

interface OpenedDeliverable extends OpenedDelivery {
  readonly deliverable: AcpDeliverable
}

type DeliverableStep = Step<VerifyDeliverableInput, OpenedDeliverable>

export function verifyJobDeliverable(input: VerifyDeliverableInput, decision: DecisionForm): VerifyResult {
  const { report, document } = examine(DELIVERABLE, input)
  if (document === null) return { report, stated: null, case: null }
  const { delivery } = document
  return { report, stated: statedBy(delivery, decision), case: caseBy(delivery, { request: input.request }, decision) }
}

/** Reads a deliverable. Returns null after reporting the fault. */
export function readDeliverable(
  bytes: Uint8Array,
  report: Report,
): { readonly value: JsonValue; readonly deliverable: AcpDeliverable } | null {
  const value = readDocument(bytes, report)
  if (value === undefined) return null
  if (memberOf(value, "deliverable_version") !== 3) {
    report.unchecked("document", "unknown version of a deliverable")
    return null
  }
  const form = { schema: AcpDeliverable, value, ok: "deliverable 3", invalid: "not a deliverable of its version" }
  const deliverable = readForm(report, "schema", form)
  return deliverable && { value, deliverable }
}

interface Row {
  readonly check: string
  readonly codes: readonly DeliverableFaultCode[]
  /** What is said when there is no fault. */
  readonly ok: string
  /** What is wrong, for faults of the whole text. Other faults have a pointer. */
  readonly wrong?: string
}

function addRows(report: Report, faults: readonly DeliverableFault[], rows: readonly Row[], question: Question): void {
  for (const { check, codes, ok, wrong } of rows) {
    const found = faults.filter(({ code }) => codes.includes(code))
    const why = wrong ?? `look at ${found.map(({ pointer }) => pointer).join(", ")}`
    report.check(check, found.length === 0, { ok, invalid: `${found[0]?.code}: ${why}` }, question)
  }
}

/** What the members say about each other. */
const members: DeliverableStep = ({ report, document: { deliverable }, given: { crypto } }) => {
  const { response, funding_observation: funding, issuer, recovery } = deliverable
  const rows: readonly Row[] = [
    {
      check: "size",
      codes: ["TOO_LARGE"],
      ok: `${canonicalBytes(deliverable).length} bytes`,
      wrong: `more than ${ACP_DELIVERABLE_BYTES_MAX} bytes`,
    },
    { check: "copied digests", codes: ["RESPONSE_DIGEST", "REQUEST_DIGEST"], ok: "those of the response" },
    { check: "settlement", codes: ["SETTLEMENT_REFERENCE"], ok: response.billing.settlement_reference },
    {
      check: "funding",
      codes: ["FUNDING_NOT_SAFE"],
      ok: `stated for block ${funding.block_number}, when block ${funding.safe_block_number} was safe`,
    },
    { check: "issuer members", codes: ["ISSUER_DIFFERS"], ok: `${issuer.name}, ${issuer.key_id}` },
    { check: "recovery", codes: ["RECOVERY_DIFFERS"], ok: recovery.uri },
  ]
  addRows(report, memberFaults(deliverable, {}, crypto), rows, "GENUINE")
}

/** Compares with what the reader gave. What was not given is named, so that nobody takes it for checked. */
const expectations: DeliverableStep = ({ report, document: { deliverable }, given }) => {
  const { requirement, job, submitted, crypto } = given
  const final = Value.Check(AcpRequirement, requirement) ? requirement : null
  const expected: DeliverableExpectations = {
    ...(final && { requirement: { final, requestDigest: crypto.digestOf(digestedRequest(final.request)) } }),
    ...(job && { job }),
    ...(submitted !== undefined && { submitted }),
  }
  const rows: Row[] = []
  if (final) {
    rows.push(
      { check: "requirement", codes: ["REQUIREMENT_DIGEST", "REQUEST_DIGEST"], ok: deliverable.requirement_digest },
      { check: "binding", codes: ["BINDING_DIGEST"], ok: deliverable.binding_digest },
      { check: "correlation", codes: ["CORRELATION"], ok: "that of the requirement's request" },
    )
  } else if (requirement === undefined) {
    report.note("requirement", "not compared (--requirement)")
  } else {
    report.unchecked("requirement", "not a final requirement of envelope version 4", "ASKED")
  }
  if (final || job) rows.push({ check: "job", codes: ["JOB_DIFFERS"], ok: jobInWords(deliverable) })
  if (!job) report.note("job on the chain", "not compared (--job)")
  if (submitted === undefined) {
    const hash = keccak256(canonicalize(deliverable))
    report.note("submitted hash", `not compared (--submitted): the event JobSubmitted must have ${hash}`)
  } else {
    rows.push({
      check: "submitted hash",
      codes: ["SUBMITTED_HASH"],
      ok: submitted,
      wrong: "another text was submitted",
    })
  }
  addRows(report, memberFaults(deliverable, expected, crypto), rows, "ASKED")
  if (!final) return
  checkRequest(report, { check: "its request", question: "ASKED", crypto }, deliverable.response, final.request)
}

function jobInWords({ job }: AcpDeliverable): string {
  return `${job.on_chain_job_id} of ${job.escrow_contract} on chain ${job.chain_id}`
}

const coverage: DeliverableStep = ({ report, document: { delivery } }) => {
  const { jurisdiction, scope, state_good_standing, limitations } = delivery.coverage
  // The limitations are any text of a file, so a forged one could print lines of its own.
  const rest = `state good standing ${state_good_standing}, ${limitations.length} limitations in coverage.limitations`
  report.note("coverage", `${jurisdiction} ${scope}, ${rest}`)
}

const rest: DeliverableStep = ({ report }) => {
  report.note(
    "facts",
    "funding, submission, completion, payout and refund are separate facts: the file states that the funding was seen in a safe block, and proves none of them",
  )
  report.note("issuer key in the file", "not used: a file cannot prove itself")
  report.unsigned(
    "billing, delivery, outer members",
    "not signed: billing, delivery and all that is beside the response",
  )
}

const DELIVERABLE: Kind<VerifyDeliverableInput, OpenedDeliverable> = {
  open: ({ bytes }, report) => {
    const document = readDeliverable(bytes, report)
    const opened = document && openDelivery(report, document.deliverable.response)
    return opened && { ...document, ...opened }
  },
  steps: permittingSteps({
    content: [bytesStep, members, ...DELIVERY_DIGESTS],
    compared: [expectations, requestStep],
    unsigned: [coverage, rest],
  }),
}
