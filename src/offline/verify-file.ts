/** Verifies a file offline, whatever its kind. The command `verify` and the page `/verify` both run this code. */

import { CommandError, EXIT } from "../base/exit.ts"
import type { DocumentCrypto } from "../core/crypto/document-crypto.ts"
import { type GivenFile, issuerKeysIn, jsonIn, requirePlace } from "./given/given-files.ts"
import { jobTerms } from "./given/job-terms.ts"
import { judgedAt, requiredTerms } from "./given/verify-terms.ts"
import { verifyAnswer } from "./kinds/answer.ts"
import type { AnswerForm } from "./kinds/answer-form.ts"
import { verifyDelivery } from "./kinds/decision.ts"
import type { DecisionForm } from "./kinds/decision-document.ts"
import { type DocumentKind, documentKind } from "./kinds/document-kind.ts"
import { verifyDeliverable } from "./kinds/job-deliverable.ts"
import { verifyPassport } from "./kinds/passport.ts"
import { recogniseFile } from "./kinds/recognise-file.ts"
import { verifyManifest, verifyServiceProof } from "./kinds/service-document.ts"
import { Report } from "./report.ts"
import type { VerifyInput, VerifyResult } from "./steps/check-document.ts"
import { type Judged, judged } from "./words/verdict-text.ts"

/** Flags of the command that name one file each. The page has a field for each. */
export type FileFlag = "issuer" | "request" | "capsule" | "check" | "requirement" | "job"

/** Flags of the command with a value that is no file. */
export type TextFlag = "at" | "require" | "environment" | "submitted"

/** What a person gives. Files are read when they are needed. */
export interface VerifyInputs {
  readonly document: () => Promise<GivenFile>
  /** Null if the file was not given. */
  readonly read: (flag: FileFlag) => Promise<GivenFile | null>
  /** Files that the document must list by digest. */
  readonly listed: () => Promise<readonly GivenFile[]>
  readonly text: (flag: TextFlag) => string | undefined
  readonly isGiven: (flag: string) => boolean
  readonly reformatted: boolean
}

/** What the program knows: how to hash and check signatures, and the products. */
export interface Known {
  readonly crypto: DocumentCrypto
  readonly answers: readonly AnswerForm[]
  readonly decision: DecisionForm
}

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
  return judged(result, terms, { isHistorical: at < now })
}

async function verifyKind(inputs: VerifyInputs, known: Known, given: VerifyInput): Promise<VerifyResult> {
  const instead = recogniseFile(given.bytes, known.answers)
  if (instead !== null && instead.place !== "FILE") {
    const report = new Report()
    report.unchecked("document", instead.sentence)
    return { report, stated: null }
  }
  const kind = documentKind(given.bytes)
  requireFlagsOfKind(inputs, kind)
  switch (kind) {
    case "ANSWER": {
      const capsule = await inputs.read("capsule")
      const bytes = capsule && requirePlace("--capsule", capsule, known).bytes
      return verifyAnswer({ ...given, ...(bytes && { capsule: bytes }) }, known.answers)
    }
    case "PASSPORT": {
      const check = await inputs.read("check")
      const bytes = check && requirePlace("FILE", check, known).bytes
      return verifyPassport({ ...given, ...(bytes && { check: bytes }) })
    }
    case "SANDBOX":
      return reportSandbox()
    case "MANIFEST":
      return verifyManifest({ ...given, documents: await inputs.listed() })
    case "SERVICE_PROOF":
      return verifyServiceProof({ ...given, documents: await inputs.listed() })
    case "DELIVERABLE": {
      const terms = await jobTerms({ submitted: inputs.text("submitted"), read: inputs.read }, known)
      return verifyDeliverable({ ...given, ...terms }, known.decision)
    }
    case "DECISION":
      return verifyDelivery(given, known.decision)
  }
}

/** Only `--sandbox` accepts a document of the sandbox. */
function reportSandbox(): VerifyResult {
  const report = new Report()
  report.check("environment", false, "", "a document of the sandbox is synthetic; --sandbox verifies it as that")
  return { report, stated: null }
}

const NO_CHECK = "only a passport is made from a check"
const NO_DOCUMENT = "only a capability manifest or a service proof lists documents"
const NO_JOB = "only a deliverable belongs to an ACP job"
const JOBLESS = { requirement: NO_JOB, job: NO_JOB, submitted: NO_JOB }
const OWN_CAPSULE = { capsule: "a decision holds its own capsule", check: NO_CHECK, document: NO_DOCUMENT }
const SERVICE_DOCUMENT = {
  ...JOBLESS,
  capsule: "the document is signed itself",
  check: NO_CHECK,
  request: "the document answers no request",
  require: "the document permits nothing",
  environment: "the document states none",
} as const

/** Flags that a kind of document does not use. Ignoring them silently would suggest that they were checked. */
const FOREIGN: Readonly<Record<DocumentKind, Readonly<Record<string, string>>>> = {
  DECISION: { ...OWN_CAPSULE, ...JOBLESS },
  DELIVERABLE: OWN_CAPSULE,
  ANSWER: { ...JOBLESS, check: NO_CHECK, document: NO_DOCUMENT },
  PASSPORT: {
    ...JOBLESS,
    document: NO_DOCUMENT,
    capsule: "a passport is signed itself",
    request: "a passport answers no request",
    require: "a passport permits nothing",
  },
  SANDBOX: {},
  MANIFEST: SERVICE_DOCUMENT,
  SERVICE_PROOF: SERVICE_DOCUMENT,
}

function requireFlagsOfKind({ isGiven }: VerifyInputs, kind: DocumentKind): void {
  for (const [flag, why] of Object.entries(FOREIGN[kind])) {
    if (isGiven(flag)) throw new CommandError(EXIT.USAGE, `--${flag}: ${why}`)
  }
}
