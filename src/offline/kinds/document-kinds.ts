/** The kinds of documents that `verify` judges, one row each: how it is recognised, what it does not use, and what verifies it. */
import { ACP_DELIVERABLE_TYPE } from "../../../schemas/acp/terms.ts"
import { JourneyPayload } from "../../../schemas/agent-mode/journeys.ts"
import { SandboxArtifactPayload } from "../../../schemas/agent-mode/sandbox-artifact.ts"
import { isAnswerBundleFormat } from "../../../schemas/bundle-formats.ts"
import { CapabilityManifestPayload } from "../../../schemas/discovery/capability-manifest.ts"
import { ServiceProofPayload } from "../../../schemas/discovery/service-proof.ts"
import { ReviewExportPayload } from "../../../schemas/review.ts"
import { CompanyPassportPayload } from "../../../schemas/us/company-passport.ts"
import { type JsonValue, memberOf } from "../../core/strict-json.ts"
import { requirePlace } from "../given/given-files.ts"
import { jobTerms } from "../given/job-terms.ts"
import type { Known, VerifyInputs } from "../given/verify-inputs.ts"
import { Report } from "../report.ts"
import { readStrict } from "../steps/read.ts"
import type { VerifyInput, VerifyResult } from "../verify-input.ts"
import { verifyAnswer } from "./answer.ts"
import { verifyDecision } from "./decision.ts"
import { verifyJobDeliverable } from "./job-deliverable.ts"
import { verifyPassport } from "./passport.ts"
import { hasDomain } from "./payload-domain.ts"
import { verifyReviewExport } from "./review/review-export.ts"
import { verifyManifest, verifyServiceProof } from "./service-document.ts"

export type DocumentKind =
  | "DECISION"
  | "DELIVERABLE"
  | "ANSWER"
  | "PASSPORT"
  | "MANIFEST"
  | "SERVICE_PROOF"
  | "REVIEW"
  | "SANDBOX"

interface DocumentRow {
  readonly kind: DocumentKind
  /** True if the first members of a file name this kind. */
  readonly isNamedBy: (value: JsonValue | undefined) => boolean
  /** Flags that it does not use, and why. To ignore them silently would suggest that they were checked. */
  readonly foreign: Readonly<Record<string, string>>
  readonly verify: (given: VerifyInput, inputs: VerifyInputs, known: Known) => VerifyResult | Promise<VerifyResult>
}

const NO_CHECK = "only a passport is made from a check"
const NO_DOCUMENT = "only a capability manifest or a service proof lists documents"
const NO_JOB = "only a deliverable belongs to an ACP job"
const JOBLESS = { requirement: NO_JOB, job: NO_JOB, submitted: NO_JOB }
const OWN_CAPSULE = { capsule: "a decision holds its own capsule", check: NO_CHECK, document: NO_DOCUMENT }
const OF_SERVICE = {
  ...JOBLESS,
  capsule: "the document is signed itself",
  check: NO_CHECK,
  request: "the document answers no request",
  require: "the document permits nothing",
  environment: "the document states none",
}

const DECISION: DocumentRow = {
  kind: "DECISION",
  // The verifier of an unknown document reports its fault.
  isNamedBy: () => true,
  foreign: { ...OWN_CAPSULE, ...JOBLESS },
  verify: (given, _inputs, { decision }) => verifyDecision(given, decision),
}

/** In the order in which they are recognised. */
const ROWS: readonly DocumentRow[] = [
  {
    kind: "DELIVERABLE",
    isNamedBy: (value) => memberOf(value, "type") === ACP_DELIVERABLE_TYPE,
    foreign: OWN_CAPSULE,
    verify: async (given, { text, read }, known) => {
      const terms = await jobTerms({ submitted: text("submitted"), read }, known)
      return verifyJobDeliverable({ ...given, ...terms }, known.decision)
    },
  },
  {
    kind: "ANSWER",
    isNamedBy: (value) =>
      isAnswerBundleFormat(memberOf(value, "format")) || memberOf(value, "product_or_solution") !== undefined,
    foreign: { ...JOBLESS, check: NO_CHECK, document: NO_DOCUMENT },
    verify: async (given, { read }, known) => {
      const file = await read("capsule")
      const capsule = file && requirePlace("--capsule", file, known).bytes
      return verifyAnswer({ ...given, ...(capsule && { capsule }) }, known.answers)
    },
  },
  {
    kind: "PASSPORT",
    isNamedBy: hasDomain(CompanyPassportPayload),
    foreign: {
      ...JOBLESS,
      document: NO_DOCUMENT,
      capsule: "a passport is signed itself",
      request: "a passport answers no request",
      require: "a passport permits nothing",
    },
    verify: async (given, { read }, known) => {
      const file = await read("check")
      const check = file && requirePlace("FILE", file, known).bytes
      return verifyPassport({ ...given, ...(check && { check }) })
    },
  },
  {
    kind: "SANDBOX",
    isNamedBy: hasDomain(SandboxArtifactPayload, JourneyPayload),
    foreign: {},
    verify: reportSandbox,
  },
  {
    kind: "MANIFEST",
    isNamedBy: hasDomain(CapabilityManifestPayload),
    foreign: OF_SERVICE,
    verify: async (given, { listed }) => verifyManifest({ ...given, documents: await listed() }),
  },
  {
    kind: "SERVICE_PROOF",
    isNamedBy: hasDomain(ServiceProofPayload),
    foreign: OF_SERVICE,
    verify: async (given, { listed }) => verifyServiceProof({ ...given, documents: await listed() }),
  },
  {
    kind: "REVIEW",
    isNamedBy: hasDomain(ReviewExportPayload),
    foreign: {
      ...JOBLESS,
      document: NO_DOCUMENT,
      check: NO_CHECK,
      capsule: "the export is signed itself",
      request: "the export answers no request",
      require: "the export permits nothing",
    },
    verify: (given) => verifyReviewExport({ ...given, logKey: null, records: [] }),
  },
]

/** Only `--sandbox` accepts a document of the sandbox. */
function reportSandbox(): VerifyResult {
  const report = new Report()
  report.check("environment", false, {
    ok: "",
    invalid: "a document of the sandbox is synthetic; --sandbox verifies it as that",
  })
  return { report, stated: null, case: null }
}

/** The row of a file. An unknown document has that of a decision. */
export function documentRow(bytes: Uint8Array): DocumentRow {
  const read = readStrict(bytes)
  const value = "value" in read ? read.value : undefined
  return ROWS.find(({ isNamedBy }) => isNamedBy(value)) ?? DECISION
}

export function documentKind(bytes: Uint8Array): DocumentKind {
  return documentRow(bytes).kind
}
