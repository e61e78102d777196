/** The lines of the corpus: each is given to the command and to the page, which must say the same. */
import { DAY, formatInstant, HOUR, MINUTE, SECOND } from "../../src/core/time.ts"
import { holding, IN_TIME, permitting } from "../cli/documents/deliverable-files.ts"
import { WHILE_VALID } from "../cli/documents/verified-files.ts"
import { DECIDED_AT } from "../fixtures/decision.ts"
import { type CorpusFiles, corpusFiles, type Files, SERVED_AT } from "./corpus-files.ts"
import { forgedFiles } from "./forged-files.ts"

export interface Corpus {
  readonly files: Files
  readonly lines: readonly string[]
}

const BEFORE = formatInstant(DECIDED_AT - HOUR)
const AFTER = formatInstant(DECIDED_AT + 31 * DAY)
const SERVED = formatInstant(SERVED_AT + MINUTE / 2)
const OTHER_HASH = `0x${"0".repeat(64)}`
const JOB = "--requirement job-final.json --job job-job.json"

/** In the window of the documents, unless the line names a time. */
const DELIVERED = [
  "delivery.json --issuer jwks.json",
  "delivery.json --issuer jwks.json --request request.json --require RELEASE_PAYMENT",
  "delivery.json --issuer jwks.json --request other-request.json",
  "delivery.json --issuer jwks.json --request asked.json",
  "delivery.json --issuer jwks.json --require HOLD_PAYMENT",
  "bundle.json --issuer jwks.json",
  "bundle.json --issuer jwks.json --request request.json",
  "conditional.json --issuer jwks.json --require RELEASE_PAYMENT",
  "conditional.json --issuer jwks.json --require HOLD_PAYMENT",
  "pretty.json --issuer jwks.json",
  "line-feed.json --issuer jwks.json",
  "crlf.json --issuer jwks.json",
  "escaped.json --issuer jwks.json",
  "pretty-forged.json --issuer jwks.json",
  "two-issuers.json --issuer jwks.json",
  "answer.json --issuer jwks.json --capsule capsule.json --request asked.json --require CONTINUE",
  "again.json --issuer jwks.json --capsule capsule.json",
  "again.json --issuer jwks.json --capsule header.json",
  "again.json --issuer jwks.json --capsule pretty-capsule.json",
  "again.json --issuer jwks.json",
  "again.json --issuer jwks.json --capsule asked.json",
  "again.json --issuer jwks.json --capsule capsule-cut.json",
  "again.json --issuer jwks.json --capsule empty.json",
  "edited.json --issuer jwks.json --capsule capsule.json",
  "edited-unsigned.json --issuer jwks.json --capsule capsule.json",
  "review.json --issuer jwks.json --capsule capsule.json",
  "answer-bundle.json --issuer jwks.json --require CONTINUE",
  "answer-bundle.json --issuer jwks.json --capsule capsule.json",
  "answer.json --issuer jwks.json --capsule capsule.json --require RELEASE_PAYMENT",
  "answer.json --issuer jwks.json --capsule capsule.json --request request.json",
  "passport.json --issuer jwks.json",
  "passport.json --issuer jwks.json --check answer.json",
  "passport.json --issuer jwks.json --check answer-bundle.json",
  "passport.json --issuer jwks.json --check review.json",
  "passport.json --issuer jwks.json --check delivery.json",
  "edited-passport.json --issuer jwks.json",
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
  ...["empty", "cut-half", "not-utf-8", "bundle", "quote", "private", "jwks"].map(
    (request) => `delivery.json --issuer jwks.json --request ${request}.json`,
  ),
]

const MISPLACED = [
  ...[
    "jwks",
    "request",
    "asked",
    "capsule",
    "header",
    "quote",
    "problem",
    "private",
    "payment",
    "snapshot",
    "key-alone",
  ],
  ...["null", "number", "list", "text", "twice", "prototype", "surrogate", "deep", "broken", "job-final", "job-job"],
  ...["empty", "space", "cut-1", "cut-half", "cut-last", "more", "mark", "utf-16", "not-utf-8", "cut-character"],
  ...["zip", "gzip", "pdf", "pem", "html", "large", "postman", "sandbox"],
].map((name) => `${name}.json --issuer jwks.json`)

const DELIVERABLES = [
  "job-good.json",
  `job-good.json ${JOB} --submitted ${permitting.keccak256}`,
  "job-good.json --request job-request.json --require RELEASE_PAYMENT",
  `job-good.json --submitted ${OTHER_HASH}`,
  `job-good.json --submitted ${holding.keccak256}`,
  "job-good.json --requirement job-hold-final.json",
  "job-good.json --job job-hold-job.json",
  "job-good.json --requirement job-draft.json",
  "job-good.json --requirement job-request.json",
  "job-good.json --job job-misspelt-job.json",
  "job-good.json --job job-zero-job.json",
  "job-good.json --submitted 0x12",
  "job-hold.json --require RELEASE_PAYMENT",
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
].map((line) => `${line} --issuer job-jwks.json --at ${IN_TIME}`)

const SERVICE_DOCUMENTS = [
  "manifest.json",
  "manifest.json --document postman.json",
  "manifest.json --document postman.json --document proof.json",
  "manifest-other-key.json",
  "manifest-version.json",
  "proof.json",
  "proof.json --document manifest.json",
  "proof.json --document empty.json",
  "manifest.json --require CONTINUE",
].map((line) => `${line} --issuer service-jwks.json --at ${SERVED}`)

const WRONG_LINES = [
  "delivery.json --issuer jwks.json --capsule capsule.json",
  "delivery.json --issuer jwks.json --check answer.json",
  "delivery.json --issuer jwks.json --document postman.json",
  "delivery.json --issuer jwks.json --job job-job.json",
  "passport.json --issuer jwks.json --require CONTINUE",
  "passport.json --issuer jwks.json --request asked.json",
  "delivery.json --issuer jwks.json --at yesterday",
  "delivery.json --issuer jwks.json --require PAY",
  "agent verify-bundle agent-0.json --receipt empty.json",
  "agent verify-bundle agent-0.json --receipt agent-0.json",
  "agent verify-bundle agent-0.json --since broken.json",
  "agent verify-bundle agent-0.json --log-key nonsense",
]

const SANDBOX = [
  "sandbox.json --sandbox --issuer sandbox-key.json",
  "sandbox.json --sandbox --issuer sandbox-jwk.json",
  "sandbox-pretty.json --sandbox --issuer sandbox-key.json",
  "sandbox-other-key.json --sandbox --issuer sandbox-key.json",
  "sandbox.json --sandbox --issuer jwks.json",
  "delivery.json --sandbox --issuer sandbox-key.json",
  "cut-half.json --sandbox --issuer sandbox-key.json",
  "sandbox.json --sandbox --issuer empty.json",
  "sandbox.json --sandbox --issuer sandbox-key.json --require RELEASE_PAYMENT",
  "sandbox.json --sandbox --issuer sandbox-key.json --job job-job.json",
]

/** Outside the window, and now. */
const TIMES = [
  ...["delivery.json", "pretty.json", "passport.json", "answer-bundle.json", "job-good.json"].flatMap((name) =>
    [BEFORE, AFTER].map((at) => `${name} --issuer jwks.json --at ${at}`),
  ),
  ...[formatInstant(SERVED_AT - HOUR), formatInstant(SERVED_AT + DAY)].map(
    (at) => `manifest.json --issuer service-jwks.json --at ${at}`,
  ),
  `delivery.json --issuer jwks.json --request other-request.json --at ${AFTER}`,
  `delivery.json --issuer jwks.json --at ${formatInstant(DECIDED_AT - 30 * SECOND)}`,
  "delivery.json --issuer jwks.json --at 2026-11-20t10:00:01.5+00:00",
  "delivery.json --issuer jwks.json",
]

/** A line without a time is judged now, by two clocks. */
export function withoutNow(line: string, text: string): string {
  return line.includes("--at ") ? text : text.replaceAll(/judged at \S+/g, "judged now")
}

export async function corpus(): Promise<Corpus> {
  const made = await corpusFiles()
  const forged = forgedFiles(made.files)
  return {
    files: { ...made.files, ...forged.files },
    lines: [
      ...[...DELIVERED, ...MISPLACED].map((line) => `${line} --at ${WHILE_VALID}`),
      ...DELIVERABLES,
      ...SERVICE_DOCUMENTS,
      ...WRONG_LINES,
      ...SANDBOX,
      ...TIMES,
      ...made.stored.map(
        ({ name, capsule, at }) =>
          `${name} --issuer first-jwks.json --at ${at}${capsule === null ? "" : ` --capsule ${capsule}`}`,
      ),
      ...agentLines(made),
      ...forged.lines,
    ],
  }
}

/** The page has no field for the other options, because each of them is for a program. */
function agentLines({ agentBundles }: CorpusFiles): string[] {
  return agentBundles.flatMap(({ file, options }) => {
    const { logKey, at, since, maxAge, requireActive, reformatted } = options
    if (maxAge !== undefined || requireActive || reformatted) return []
    const pinned = logKey === undefined ? "" : ` --log-key ${logKey}`
    const remembered = since === undefined ? "" : " --since agent-since.json"
    const line = `agent verify-bundle ${file}${pinned}${remembered} --at ${at}`
    return since === undefined || since.startsWith("{") ? [line] : []
  })
}
