/** The steps about content: the bytes, the digests, and what signed members and their copies say. */
import type { SnapshotReference, SourceFact } from "../../../schemas/source-fact.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import type { Question, Report } from "../report.ts"
import { isCanonical } from "./read.ts"

/** Bytes that differ but have the same value count as REFORMATTED, because tools add a line feed or indentation to JSON. */
export function checkBytes(report: Report, check: string, bytes: Uint8Array, value: JsonValue): void {
  if (isCanonical(bytes, value)) report.check(check, true, { ok: "SVC-C14N-JSON-1", invalid: "" })
  else report.reformatted(check, "not the bytes that were sent, but the same JSON: a reformatted copy")
}

/** Compares a digest that the document states with the computed one. */
export function checkDigest(report: Report, check: string, computed: string, stated: string): void {
  report.check(check, computed === stated, { ok: stated, invalid: "does not recompute" })
}

/** Members that the signed payload repeats must equal those of the document. */
export function checkAgreement(report: Report, expected: object, payload: object): void {
  const wrong = differing(expected, payload)
  report.check("capsule", wrong.length === 0, {
    ok: "agrees with the response",
    invalid: `differs from the response: ${wrong.join(", ")}`,
  })
}

/** Compares the stated checksum with that of the policy version in this program; null without that version. */
export function checkPolicy(
  report: Report,
  known: object | null,
  stated: string,
  { digestOf }: Pick<DocumentCrypto, "digestOf">,
): void {
  if (known === null) {
    report.note("policy", "this program does not have the policy version; its checksum was not compared")
    return
  }
  report.check("policy", digestOf(known) === stated, {
    ok: stated,
    invalid: "checksum is not that of the policy version",
  })
}

/** The line about a request, and what computes its digest. */
export interface RequestCheck {
  readonly check: string
  readonly question: Question
  readonly crypto: DocumentCrypto
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
  report.check("bundled facts", computed === factsDigest, {
    ok: factsDigest,
    invalid: "not the facts the capsule names",
  })
  const namesThem = canonicalize(snapshots) === canonicalize(snapshotsOf(facts))
  report.check("bundled snapshots", namesThem, {
    ok: `${snapshots.length} as in the facts`,
    invalid: "not those of the facts",
  })
}

export function noteBundledKeys(report: Report): void {
  report.note("bundled issuer keys", "not used: a file cannot prove itself")
}

/** The snapshots on which the facts rely. */
export function snapshotsOf({ sources }: { readonly sources: readonly SourceFact[] }): SnapshotReference[] {
  return sources.map(({ source_id, snapshot_id, raw_sha256 }) => ({ source_id, snapshot_id, raw_sha256 }))
}

/** Members of `expected` whose value in `actual` differs. `actual` has all of them. */
export function differing(expected: object, actual: object): string[] {
  const given: Readonly<Record<string, unknown>> = { ...actual }
  return Object.entries(expected).flatMap(([name, value]) =>
    canonicalize(value) === canonicalize(given[name]) ? [] : [name],
  )
}
