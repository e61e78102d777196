/** Checks that the offline verifiers of deliveries, answers and passports share. */

import type { AnswerAction } from "../../../schemas/business-answer.ts"
import type { StatedEnvironment } from "../../../schemas/environment.ts"
import type { SnapshotReference, SourceFact } from "../../../schemas/source-fact.ts"
import type { MachineAction } from "../../../schemas/us/proof-capsule.ts"
import { sameBytes } from "../../core/bytes.ts"
import { canonicalBytes, canonicalize } from "../../core/canonical-json.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { formatInstant, parseInstant, SECOND } from "../../core/time.ts"
import type { Report } from "../report.ts"
import type { IssuerKeys } from "./issuer-keys.ts"
import { snapshotsOf } from "./read-document.ts"

export interface VerifyInput {
  readonly bytes: Uint8Array
  readonly keys: IssuerKeys
  readonly crypto: DocumentCrypto
  /** The time at which the document is judged, in milliseconds. */
  readonly at: number
  /** True: other bytes than the canonical ones, e.g. a pretty-printed copy, do not make the conclusion INVALID. */
  readonly reformatted: boolean
  /** The parsed request that this document must answer. */
  readonly request?: unknown
  readonly require?: MachineAction | AnswerAction
  /** The environment that the document must be of. Without it, a document of which an action is required must be live. */
  readonly environment?: Environment
}

/** The environments of documents that decide something. */
export type Environment = Exclude<StatedEnvironment, "sandbox">

/** What a document states, in members that every kind has. Proven only when the report concludes VALID. */
export interface Stated {
  readonly product: string
  /** The Payment Decision's own id; null for every other kind. */
  readonly decisionId: string | null
  /** Digest under which later requests name it as evidence. */
  readonly reference: string
  /** Null when the document contains no decision. */
  readonly decision: string | null
  readonly machineAction: string | null
  /** The reasons, in policy order. */
  readonly reasons: readonly StatedReason[]
  readonly validUntil: string
  /** Null when the document states none. */
  readonly environment: StatedEnvironment | null
}

export interface StatedReason {
  readonly code: string
  /** One sentence; null when this program does not have the policy version. */
  readonly why: string | null
  /** What a machine should do about it; empty when nothing is required. */
  readonly remediation: string | null
}

export interface VerifyResult {
  readonly report: Report
  /** Null when the document could not be read. */
  readonly stated: Stated | null
}

/** Two correct clocks differ. Only the start of the window allows this difference, never its end. */
const SKEW_MAX = 30 * SECOND

/** Bytes that differ but have the same value count as REFORMATTED, because tools add a line feed or indentation to JSON. */
export function checkBytes(report: Report, check: string, bytes: Uint8Array, value: JsonValue): void {
  const isExact = sameBytes(canonicalBytes(value), bytes)
  if (isExact) report.check(check, true, "SVC-C14N-JSON-1", "")
  else report.reformatted(check, "not the bytes that were sent, but the same JSON: a reformatted copy")
}

/** Compares a digest that the document states with the computed one. */
export function checkDigest(report: Report, check: string, computed: string, stated: string): void {
  report.check(check, computed === stated, stated, "does not recompute")
}

/** Members that the signed payload repeats must equal those of the document. */
export function checkAgreement(report: Report, expected: object, payload: object): void {
  const wrong = differing(expected, payload)
  report.check(
    "capsule",
    wrong.length === 0,
    "agrees with the response",
    `differs from the response: ${wrong.join(", ")}`,
  )
}

interface BundledFacts {
  readonly facts: { readonly sources: readonly SourceFact[] }
  readonly snapshots: readonly SnapshotReference[]
}

/** `computed` is the digest of the facts, `factsDigest` the one in the capsule. */
export function checkBundledFacts(
  report: Report,
  { facts, snapshots }: BundledFacts,
  computed: string,
  factsDigest: string,
): void {
  report.check("bundled facts", computed === factsDigest, factsDigest, "not the facts the capsule names")
  const namesThem = canonicalize(snapshots) === canonicalize(snapshotsOf(facts))
  report.check("bundled snapshots", namesThem, `${snapshots.length} as in the facts`, "not those of the facts")
}

export function noteBundledKeys(report: Report): void {
  report.note("bundled issuer keys", "not used: a file cannot prove itself")
}

export function checkTime(
  report: Report,
  { valid_as_of: from, valid_until: until }: { readonly valid_as_of: string; readonly valid_until: string },
  at: number,
): void {
  const start = parseInstant(from)
  const end = parseInstant(until)
  if (start === null || end === null) {
    report.check("time", false, "", "a validity time is not in the calendar")
  } else if (at < start - SKEW_MAX) {
    report.time("NOT_YET_VALID", `not valid before ${from}, judged at ${formatInstant(at)}`)
  } else if (at < end) {
    report.time("CURRENT", `valid until ${until}`)
  } else {
    report.time("EXPIRED", `expired ${until}, judged at ${formatInstant(at)}`)
  }
}

export function checkRequired(report: Report, { require }: Pick<VerifyInput, "require">, action: string): void {
  if (require === undefined) return
  report.check("require", action === require, action, `machine_action is ${action}, not ${require}`, "REQUIRED")
}

/** Null if any environment will do. A script that requires an action acts on it, so it means live unless it says otherwise. */
export function requiredEnvironment({
  require,
  environment,
}: Pick<VerifyInput, "require" | "environment">): Environment | null {
  return environment ?? (require === undefined ? null : "live")
}

/** True unless the document is synthetic. Anyone can make the keys of the sandbox, so this comes before the signature. */
export function checkEnvironment(report: Report, environment: StatedEnvironment): environment is Environment {
  if (environment !== "sandbox") return true
  return report.check("environment", false, "", "sandbox: synthetic, made to rehearse; it decides nothing")
}

/** Last lines of every report: the environment, and what an offline check cannot decide. */
export function sayEnvironment(
  report: Report,
  input: Pick<VerifyInput, "require" | "environment">,
  stated: Environment,
): void {
  const required = requiredEnvironment(input)
  const meaning = stated === "live" ? "" : ": no decision about real money"
  if (required === null) report.note("environment", `${stated}${meaning}`)
  else {
    const wrong = `${stated}, not ${required}${meaning}`
    report.check("environment", stated === required, `${stated}${meaning}`, wrong, "REQUIRED")
  }
}

export function noteRevocation(report: Report): void {
  report.note("revocation", "offline: the key's status is as of the issuer keys given")
}

/** Members of `expected` whose value in `actual` differs. `actual` has all of them. */
export function differing(expected: object, actual: object): string[] {
  const given: Readonly<Record<string, unknown>> = { ...actual }
  return Object.entries(expected).flatMap(([name, value]) =>
    canonicalize(value) === canonicalize(given[name]) ? [] : [name],
  )
}
