/** What the offline verifiers of deliveries, answers and passports look at in the same words. */
import type { AnswerAction } from "../../schemas/business-answer.ts"
import type { SnapshotReference, SourceFact } from "../../schemas/source-fact.ts"
import type { MachineAction } from "../../schemas/us/proof-capsule.ts"
import { canonicalBytes, canonicalize } from "../core/canonical-json.ts"
import { digestOf } from "../core/digest.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { formatInstant, parseInstant, SECOND } from "../core/time.ts"
import type { IssuerKeys } from "./issuer-keys.ts"
import { snapshotsOf } from "./read-document.ts"
import type { Report } from "./report.ts"

export interface VerifyInput {
  readonly bytes: Uint8Array
  readonly keys: IssuerKeys
  /** ms: the time the document is judged at. */
  readonly at: number
  /** Other bytes than the canonical ones, e.g. a pretty-printed copy, do not make the conclusion INVALID. */
  readonly reformatted: boolean
  /** The parsed request this must be the answer to. */
  readonly request?: unknown
  readonly require?: MachineAction | AnswerAction
}

/** What a document says, in words that every kind of it has. Proven only where the report concludes VALID. */
export interface Stated {
  readonly product: string
  /** The Payment Decision's own id; null for everything else. */
  readonly decisionId: string | null
  /** Digest under which later requests name it as evidence. */
  readonly reference: string
  /** Null for what decides nothing. */
  readonly decision: string | null
  readonly machineAction: string | null
  /** Why, in the order of the policy. */
  readonly reasons: readonly StatedReason[]
  readonly validUntil: string
}

export interface StatedReason {
  readonly code: string
  /** One sentence; null where this program does not have the policy version. */
  readonly why: string | null
  /** What a machine shall do about it; empty where nothing need be done. */
  readonly remediation: string | null
}

export interface VerifyResult {
  readonly report: Report
  /** Null when the document could not be read. */
  readonly stated: Stated | null
}

/** Clocks of two honest machines differ; only the start of the window forgives it, never its end. */
const SKEW_MAX = 30 * SECOND

/** The same value in other bytes says the same: who stores or prints JSON may add a line feed or indent it. */
export function checkBytes(report: Report, check: string, bytes: Uint8Array, value: JsonValue): void {
  const isExact = Buffer.compare(canonicalBytes(value), bytes) === 0
  if (isExact) report.check(check, true, "SVC-C14N-JSON-1", "")
  else report.reformatted(check, "not the bytes that were sent, but the same JSON: a reformatted copy")
}

/** A digest that the document states against the one computed from it. */
export function checkDigest(report: Report, check: string, computed: string, stated: string): void {
  report.check(check, computed === stated, stated, "does not recompute")
}

/** What the signed payload repeats of the document must say what the document says. */
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

export function checkBundledFacts(report: Report, { facts, snapshots }: BundledFacts, factsDigest: string): void {
  report.check("bundled facts", digestOf(facts) === factsDigest, factsDigest, "not the facts the capsule names")
  const namesThem = canonicalize(snapshots) === canonicalize(snapshotsOf(facts))
  report.check("bundled snapshots", namesThem, `${snapshots.length} as in the facts`, "not those of the facts")
}

export function noteBundledKeys(report: Report): void {
  report.note("bundled issuer keys", "not used: a file does not vouch for itself")
}

export function checkTime(
  report: Report,
  { valid_as_of: from, valid_until: until }: { readonly valid_as_of: string; readonly valid_until: string },
  at: number,
): void {
  const start = parseInstant(from)
  const end = parseInstant(until)
  if (start === null || end === null) {
    report.check("time", false, "", "a validity time does not exist")
  } else if (at < start - SKEW_MAX) {
    report.time("NOT_YET_VALID", `not valid before ${from}, judged at ${formatInstant(at)}`)
  } else if (at < end) {
    report.time("CURRENT", `valid until ${until}`)
  } else {
    report.time("EXPIRED", `expired ${until}, judged at ${formatInstant(at)}`)
  }
}

export function checkRequired(report: Report, require: string | undefined, action: string): void {
  if (require === undefined) return
  report.check("require", action === require, action, `machine_action is ${action}, not ${require}`, "REQUIRED")
}

/** Last lines of every report: which environment, and what being offline leaves open. */
export function noteEnvironment(report: Report, environment: "live" | "test"): void {
  report.note("environment", environment === "live" ? "live" : "test: no decision about real money")
}

export function noteRevocation(report: Report): void {
  report.note("revocation", "offline: the key's status is as of the issuer keys given")
}

/** Members of `expected` that have another value in `actual`, which has them all. */
export function differing(expected: object, actual: object): string[] {
  const given: Readonly<Record<string, unknown>> = { ...actual }
  return Object.entries(expected).flatMap(([name, value]) =>
    canonicalize(value) === canonicalize(given[name]) ? [] : [name],
  )
}
