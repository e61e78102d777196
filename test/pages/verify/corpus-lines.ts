/** The written lines of the corpus. Each is a command line without its program and command. */
import { DAY, formatInstant, HOUR, MINUTE, SECOND } from "../../../src/core/time.ts"
import { holding, IN_TIME, permitting } from "../../cli/documents/deliverable-files.ts"
import { WHILE_VALID } from "../../cli/documents/verified-files.ts"
import { DECIDED_AT } from "../../fixtures/decision.ts"
import { REVIEW_TIME } from "../../fixtures/review-log.ts"
import { SERVED_AT } from "./corpus-files.ts"

const BEFORE = formatInstant(DECIDED_AT - HOUR)
const AFTER = formatInstant(DECIDED_AT + 31 * DAY)
const SERVED = formatInstant(SERVED_AT + MINUTE / 2)
const OTHER_HASH = `0x${"0".repeat(64)}`
const JOB = "--requirement job-final.json --job job-job.json"

/** Lines about one subject. */
export interface Group {
  readonly lines: readonly string[]
  /** How many of the first lines every run has. They cover the kinds of document and the exit codes. */
  readonly always: number
}

const valid = (lines: readonly string[]) => lines.map((line) => `${line} --at ${WHILE_VALID}`)

const DECISIONS: Group = {
  always: 6,
  lines: valid([
    "delivery.json --issuer jwks.json --request request.json --require RELEASE_PAYMENT --environment test",
    "delivery.json --issuer jwks.json --require RELEASE_PAYMENT",
    "live.json --issuer jwks.json --require RELEASE_PAYMENT",
    "live.json --issuer jwks.json --environment test",
    "bundle.json --issuer jwks.json",
    "pretty.json --issuer jwks.json",
    "delivery.json --issuer jwks.json --request other-request.json",
    "conditional.json --issuer jwks.json --require RELEASE_PAYMENT --environment test",
    "delivery.json --issuer jwks.json --request asked.json",
    "delivery.json --issuer jwks.json",
    "delivery.json --issuer jwks.json --require HOLD_PAYMENT --environment test",
    "bundle.json --issuer jwks.json --request request.json",
    "conditional.json --issuer jwks.json --require HOLD_PAYMENT --environment test",
    "line-feed.json --issuer jwks.json",
    "crlf.json --issuer jwks.json",
    "escaped.json --issuer jwks.json",
    "pretty-forged.json --issuer jwks.json",
    "two-issuers.json --issuer jwks.json",
    ...["empty", "cut-half", "not-utf-8", "bundle", "quote", "private", "jwks"].map(
      (request) => `delivery.json --issuer jwks.json --request ${request}.json`,
    ),
  ]),
}

const ANSWERS: Group = {
  always: 5,
  lines: valid([
    "answer.json --issuer jwks.json --capsule capsule.json --request asked.json --require CONTINUE --environment test",
    "answer-bundle.json --issuer jwks.json --require CONTINUE --environment test",
    "edited.json --issuer jwks.json --capsule capsule.json",
    "again.json --issuer jwks.json",
    "answer.json --issuer jwks.json --capsule capsule.json --require RELEASE_PAYMENT --environment test",
    "again.json --issuer jwks.json --capsule capsule.json",
    "again.json --issuer jwks.json --capsule header.json",
    "again.json --issuer jwks.json --capsule pretty-capsule.json",
    "again.json --issuer jwks.json --capsule asked.json",
    "again.json --issuer jwks.json --capsule capsule-cut.json",
    "again.json --issuer jwks.json --capsule empty.json",
    "edited-unsigned.json --issuer jwks.json --capsule capsule.json",
    "review.json --issuer jwks.json --capsule capsule.json",
    "answer-bundle.json --issuer jwks.json --capsule capsule.json",
    "answer.json --issuer jwks.json --capsule capsule.json --request request.json",
  ]),
}

const PASSPORTS: Group = {
  always: 2,
  lines: valid([
    "passport.json --issuer jwks.json --check answer.json",
    "edited-passport.json --issuer jwks.json",
    "passport.json --issuer jwks.json",
    "passport.json --issuer jwks.json --check answer-bundle.json",
    "passport.json --issuer jwks.json --check review.json",
    "passport.json --issuer jwks.json --check delivery.json",
  ]),
}

const KEYS: Group = {
  always: 2,
  lines: valid([
    ...[
      "revoked-jwks",
      "empty-jwks",
      "key-alone",
      "key-private",
      "key-renamed",
      "key-other",
      "key-small",
      "key-late",
    ].map((keys) => `delivery.json --issuer ${keys}.json`),
    ...["key-rotated", "key-log", "keys-many", "keys-hostile", "service-jwks", "request", "delivery", "broken"].map(
      (keys) => `bundle.json --issuer ${keys}.json`,
    ),
    ...["empty", "cut-half", "not-utf-8", "html", "pem", "private", "job-job", "large"].map(
      (keys) => `passport.json --issuer ${keys}.json`,
    ),
  ]),
}

const MISPLACED: Group = {
  always: 1,
  lines: valid(
    [
      ...["sandbox", "jwks", "request", "asked", "capsule", "header", "quote", "problem", "private", "payment"],
      ...["snapshot", "key-alone", "null", "number", "list", "text", "twice", "prototype", "surrogate", "deep"],
      ...["broken", "job-final", "job-job", "empty", "space", "cut-1", "cut-half", "cut-last", "more", "mark"],
      ...["utf-16", "not-utf-8", "cut-character", "zip", "gzip", "pdf", "pem", "html", "large", "postman"],
    ].map((name) => `${name}.json --issuer jwks.json`),
  ),
}

const DELIVERABLES: Group = {
  always: 4,
  lines: [
    `job-good.json ${JOB} --submitted ${permitting.keccak256}`,
    `job-good.json --submitted ${OTHER_HASH}`,
    "job-hold.json --require RELEASE_PAYMENT --environment test",
    "job-good.json --submitted 0x12",
    "job-good.json",
    "job-good.json --request job-request.json --require RELEASE_PAYMENT --environment test",
    `job-good.json --submitted ${holding.keccak256}`,
    "job-good.json --requirement job-hold-final.json",
    "job-good.json --job job-hold-job.json",
    "job-good.json --requirement job-draft.json",
    "job-good.json --requirement job-request.json",
    "job-good.json --job job-misspelt-job.json",
    "job-good.json --job job-zero-job.json",
    ...[
      "pretty",
      "line-feed",
      "forged",
      "other-key",
      "other-job",
      "unknown-member",
      "terminal",
      "large",
      "version-4",
      "cut",
    ].map((name) => `job-${name}.json ${JOB}`),
  ].map((line) => `${line} --issuer job-jwks.json --at ${IN_TIME}`),
}

const SERVICE_DOCUMENTS: Group = {
  always: 5,
  lines: [
    "manifest.json --document postman.json",
    "manifest.json --document postman.json --document proof.json",
    "manifest-other-key.json",
    "proof.json --document manifest.json",
    "proof.json --document empty.json",
    "manifest.json",
    "manifest-version.json",
    "proof.json",
    "manifest.json --require CONTINUE --environment test",
  ].map((line) => `${line} --issuer service-jwks.json --at ${SERVED}`),
}

const REVIEWS: Group = {
  always: 3,
  lines: [
    "reviews.json",
    "reviews-cut.json",
    "reviews-version.json",
    "reviews.json --environment live",
    "reviews.json --request request.json",
    "reviews.json --require CONTINUE --environment test",
  ].map((line) => `${line} --issuer jwks.json --at ${formatInstant(REVIEW_TIME + 2 * DAY)}`),
}

const WRONG_LINES: Group = {
  always: 1,
  lines: [
    "delivery.json --issuer jwks.json --capsule capsule.json",
    "delivery.json --issuer jwks.json --check answer.json",
    "delivery.json --issuer jwks.json --document postman.json",
    "delivery.json --issuer jwks.json --job job-job.json",
    "passport.json --issuer jwks.json --require CONTINUE --environment test",
    "passport.json --issuer jwks.json --request asked.json",
    "delivery.json --issuer jwks.json --at yesterday",
    "delivery.json --issuer jwks.json --require PAY",
    "agent verify-bundle agent-0.json --receipt empty.json",
    "agent verify-bundle agent-0.json --receipt agent-0.json",
    "agent verify-bundle agent-0.json --since broken.json",
    "agent verify-bundle agent-0.json --log-key nonsense",
  ],
}

const SANDBOX: Group = {
  always: 3,
  lines: [
    "sandbox.json --sandbox --issuer sandbox-key.json",
    "sandbox-other-key.json --sandbox --issuer sandbox-key.json",
    "sandbox.json --sandbox --issuer jwks.json",
    "sandbox.json --sandbox --issuer sandbox-jwk.json",
    "sandbox-pretty.json --sandbox --issuer sandbox-key.json",
    "delivery.json --sandbox --issuer sandbox-key.json",
    "cut-half.json --sandbox --issuer sandbox-key.json",
    "sandbox.json --sandbox --issuer empty.json",
    "sandbox.json --sandbox --issuer sandbox-key.json --require RELEASE_PAYMENT",
    "sandbox.json --issuer sandbox-key.json --require HOLD_PAYMENT --environment sandbox",
    "sandbox.json --sandbox --issuer sandbox-key.json --environment test",
    "sandbox.json --sandbox --issuer sandbox-key.json --job job-job.json",
  ],
}

/** Outside the window, and now. */
const TIMES: Group = {
  always: 3,
  lines: [
    "delivery.json --issuer jwks.json",
    `passport.json --issuer jwks.json --at ${BEFORE}`,
    `manifest.json --issuer service-jwks.json --at ${formatInstant(SERVED_AT + DAY)}`,
    `manifest.json --issuer service-jwks.json --at ${formatInstant(SERVED_AT - HOUR)}`,
    ...["delivery.json", "pretty.json", "answer-bundle.json", "job-good.json"].flatMap((name) =>
      [BEFORE, AFTER].map((at) => `${name} --issuer jwks.json --at ${at}`),
    ),
    `passport.json --issuer jwks.json --at ${AFTER}`,
    `delivery.json --issuer jwks.json --request other-request.json --at ${AFTER}`,
    `delivery.json --issuer jwks.json --at ${formatInstant(DECIDED_AT - 30 * SECOND)}`,
    "delivery.json --issuer jwks.json --at 2026-11-20t10:00:01.5+00:00",
  ],
}

export const GROUPS: readonly Group[] = [
  DECISIONS,
  ANSWERS,
  PASSPORTS,
  KEYS,
  MISPLACED,
  DELIVERABLES,
  SERVICE_DOCUMENTS,
  REVIEWS,
  WRONG_LINES,
  SANDBOX,
  TIMES,
]
