import { existsSync } from "node:fs"
import { verifyAnswer } from "../../business-answers/verify-answer.ts"
import { ANSWER_RULES } from "../../catalogue/answer-rules.ts"
import { type DocumentKind, documentKind } from "../../catalogue/document-kind.ts"
import { type Recognised, recogniseFile } from "../../catalogue/recognise-file.ts"
import { NATIVE_CRYPTO } from "../../core/native-crypto.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import type { VerifyInput, VerifyResult } from "../../documents/check-document.ts"
import { Report } from "../../documents/report.ts"
import { verifyManifest, verifyServiceProof } from "../../documents/verify-service-document.ts"
import { CommandError, EXIT } from "../../exit.ts"
import { realMachine } from "../../machine.ts"
import { verifyPassport } from "../../products/us/company-check/verify-passport.ts"
import { paymentDecisionRules } from "../../products/us/payment-decision/replay-rules.ts"
import { verifyDeliverable } from "../../products/us/payment-decision/verify-deliverable.ts"
import { verifyDelivery } from "../../products/us/payment-decision/verify-delivery.ts"
import type { Command, Input } from "../command.ts"
import { DELIVERABLE_FLAGS, deliverableFlags } from "./deliverable-flags.ts"
import { readDocumentBytes, readDocumentJson, readIssuerFile } from "./read-document.ts"
import { AT_FLAG, judgedAt, REQUIRE_FLAG, requiredAction } from "./verify-flags.ts"
import { EXIT_OF_VERDICT, jsonReport, judged, textReport } from "./verify-report.ts"
import { runVerifySandbox } from "./verify-sandbox.ts"

/** Offline: no import of this file can use a network, and no data directory is opened. */
export const command: Command = {
  name: "verify",
  summary:
    "verify a delivery, the deliverable of an ACP job, an answer, a bundle, a passport, a capability manifest or a service proof offline",
  operands: "FILE",
  flags: {
    issuer: {
      help: "JWK set of the issuer, obtained separately from the delivery; with --sandbox the pinned sandbox key",
      value: "JWKS",
      required: true,
    },
    sandbox: { help: "FILE is a synthetic document of the sandbox in its wrapper; nothing else is accepted" },
    capsule: { help: "signed capsule of an answer (default FILE.capsule in the same folder)", value: "CAPSULE" },
    check: { help: "answer or bundle that a passport was made from: exit 3 if they differ", value: "ANSWER" },
    document: {
      help: "file that a manifest or a service proof must list by its digest; may be repeated",
      value: "DOCUMENT",
      repeats: true,
    },
    ...AT_FLAG,
    ...DELIVERABLE_FLAGS,
    request: { help: "the document must answer exactly this request", value: "REQUEST" },
    ...REQUIRE_FLAG,
    reformatted: {
      help: "not needed: a reformatted copy is accepted and reported; only `result` of --json still depends on it",
    },
    json: { help: "machine-readable output, version 2" },
  },
  examples: [
    "verify ./delivery.json --issuer ./issuer.jwks.json --request ./request.json --require RELEASE_PAYMENT",
    "verify ./job/deliverable.json --requirement ./job/final.json --job ./job/job.json --issuer ./job/issuer.jwks.json --at 2026-11-20T10:10:00Z",
  ],
  run: async (input) => {
    if (input.on("sandbox")) return runVerifySandbox(input)
    const now = realMachine.now()
    const at = judgedAt(input, now)
    const require = requiredAction(input)
    const [path = "-"] = input.operands
    const requestPath = input.text("request")
    const result = await verifyDocument(input, path, {
      bytes: await readDocumentBytes(path),
      keys: await readIssuerFile(input.need("issuer")),
      crypto: NATIVE_CRYPTO,
      at,
      reformatted: input.on("reformatted"),
      ...(requestPath === undefined ? {} : { request: await requestIn(requestPath) }),
      ...(require === undefined ? {} : { require }),
    })
    const answer = judged(result, { isHistorical: at < now, required: require ?? null })
    input.out(input.on("json") ? jsonReport(answer) : textReport(answer))
    return EXIT_OF_VERDICT[answer.judgement.verdict]
  },
}

async function verifyDocument(input: Input, path: string, given: VerifyInput): Promise<VerifyResult> {
  const instead = recogniseFile(given.bytes)
  if (instead !== null && instead.place !== "FILE") {
    const report = new Report()
    report.unchecked("document", instead.sentence)
    return { report, stated: null }
  }
  const kind = documentKind(given.bytes)
  requireFlagsOfKind(input, kind)
  switch (kind) {
    case "ANSWER": {
      const capsule = await bytesFor("--capsule", input.text("capsule") ?? besideIt(path))
      return verifyAnswer({ ...given, ...(capsule && { capsule }) }, ANSWER_RULES)
    }
    case "PASSPORT": {
      const check = await bytesFor("FILE", input.text("check") ?? null)
      return verifyPassport({ ...given, ...(check && { check }) })
    }
    case "SANDBOX":
      return reportSandbox()
    case "MANIFEST":
      return verifyManifest({ ...given, documents: await listedFiles(input) })
    case "SERVICE_PROOF":
      return verifyServiceProof({ ...given, documents: await listedFiles(input) })
    case "DELIVERABLE":
      return verifyDeliverable({ ...given, ...(await deliverableFlags(input)) }, paymentDecisionRules)
    case "DECISION":
      return verifyDelivery(given, paymentDecisionRules)
  }
}

/** Only `--sandbox` accepts a document of the sandbox. */
function reportSandbox(): VerifyResult {
  const report = new Report()
  report.check("environment", false, "", "a document of the sandbox is synthetic; --sandbox verifies it as that")
  return { report, stated: null }
}

/** The files that `--document` names. Each keeps its path as its name in the report. */
function listedFiles(input: Input): Promise<{ readonly name: string; readonly bytes: Uint8Array }[]> {
  return Promise.all(input.texts("document").map(async (name) => ({ name, bytes: await readDocumentBytes(name) })))
}

/** Returns undefined without a path. Throws CommandError (4) if the file is recognised as another kind of document. */
async function bytesFor(place: Recognised["place"], path: string | null): Promise<Uint8Array | undefined> {
  if (path === null) return undefined
  const bytes = await readDocumentBytes(path)
  const found = recogniseFile(bytes)
  if (found === null || found.place === place) return bytes
  throw new CommandError(EXIT.NOT_CHECKED, `${path}: ${found.sentence}`)
}

async function requestIn(path: string): Promise<JsonValue> {
  await bytesFor("--request", path)
  return readDocumentJson(path)
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

function requireFlagsOfKind(input: Input, kind: DocumentKind): void {
  for (const [flag, why] of Object.entries(FOREIGN[kind])) {
    if (input.texts(flag).length > 0) throw new CommandError(EXIT.USAGE, `--${flag}: ${why}`)
  }
}

/** Returns the path where `agent pay` writes an answer's capsule; null if there is none. */
function besideIt(path: string): string | null {
  const beside = `${path}.capsule`
  return path !== "-" && existsSync(beside) ? beside : null
}
