/** Decides again from an exported bundle, for every kind of bundle in the same way. */
import type { Jwks } from "../../../schemas/discovery/jwks.ts"
import type { StatedEnvironment } from "../../../schemas/environment.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import { digestOf } from "../../core/digest.ts"
import { Report } from "../../offline/report.ts"
import { checkDigest } from "../../offline/steps/content.ts"
import {
  checkSignature,
  type IssuerKeys,
  readIssuerKeys,
  type SignedStatement,
} from "../../offline/steps/issuer-keys.ts"
import { checkEnvironment } from "../../offline/steps/terms.ts"
import type { StoredDelivery } from "./stored-delivery.ts"

/** One kind of bundle, by the form of the answer in it. */
export interface BundleKind {
  /** The document without a bundle, in words. */
  readonly alone: string
  includes(product: string): boolean
  /** C14N bytes, which every later release writes again. Throws if the stored data is damaged. */
  pack(stored: StoredDelivery): Uint8Array
  /** Returns null after reporting why the document is not of this kind. */
  open(bytes: Uint8Array, report: Report): { readonly bundle: OpenBundle | null } | null
}

/** What a replay compares. */
export interface OpenBundle {
  readonly capsule: SignedStatement & {
    readonly payload: { readonly environment: StatedEnvironment }
    readonly capsule_digest: string
  }
  readonly facts: { readonly environment: StatedEnvironment }
  readonly issuerJwks: Jwks
  readonly policy: { readonly id: string; readonly version: string }
  /** Checksum of that policy version in this program. Null if it does not have the version. */
  readonly knownChecksum: string | null
  /** As the documents in the bundle state it. */
  readonly statedChecksums: readonly string[]
  /** The delivered decision. */
  readonly core: object
  /** Decides again with the policy version, which this program has. Null if no decision follows: it would expire after the year 9999. */
  decideAgain(): { readonly core: { readonly decision: string }; readonly capsulePayload: object } | null
  /** Digests that no key protects. */
  readonly digests: readonly { readonly check: string; readonly computed: string; readonly stated: string }[]
}

/**
 * Repeats the decision from the stored facts with the policy version it names, and compares bytes. It queries no source and signs and
 * charges nothing. `keys` null: use the keys of the bundle itself. That shows consistency, not origin.
 */
export function replayBundle(bytes: Uint8Array, keys: IssuerKeys | null, { alone, open }: BundleKind): Report {
  const report = new Report()
  const document = open(bytes, report)
  if (!document) return report
  const { bundle } = document
  if (!bundle) {
    const why = `${alone} does not contain its facts; replay needs the bundle that bizauth export writes`
    report.unchecked("facts", why)
    return report
  }
  const { capsule, facts } = bundle
  if (!checkEnvironment(report, capsule.payload.environment) || !checkEnvironment(report, facts.environment)) {
    return report
  }
  const { id, version } = bundle.policy
  const { knownChecksum: known } = bundle
  if (known === null) report.unchecked("policy", `this program does not have ${id} ${version}`)
  else {
    const isSame = bundle.statedChecksums.every((stated) => stated === known)
    report.check("policy", isSame, { ok: `${id} ${version}`, invalid: "checksum is of another policy" })
    compareDecisions(report, bundle)
  }
  for (const { check, computed, stated } of bundle.digests) checkDigest(report, check, computed, stated)
  checkDigest(report, "capsule digest", digestOf(capsule.payload), capsule.capsule_digest)
  checkBundledSignature(report, capsule, keys, bundle.issuerJwks)
  return report
}

function compareDecisions(report: Report, { core, capsule, decideAgain }: OpenBundle): void {
  const again = decideAgain()
  if (again === null) {
    report.check("decision", false, { ok: "", invalid: "no answer follows: it would expire after the year 9999" })
    return
  }
  const isSame = canonicalize(again.core) === canonicalize(core)
  report.check("decision", isSame, {
    ok: `${again.core.decision}, byte for byte`,
    invalid: "deciding again gives another answer",
  })
  const isSealed = canonicalize(again.capsulePayload) === canonicalize(capsule.payload)
  report.check("capsule payload", isSealed, {
    ok: "byte for byte",
    invalid: "the capsule was made from something else",
  })
}

/**
 * Checks against the given keys. Null: against the keys in the bundle itself, which shows that the bundle is consistent, but not its
 * origin.
 */
function checkBundledSignature(
  report: Report,
  statement: SignedStatement,
  given: IssuerKeys | null,
  bundled: Jwks,
): void {
  report.note(
    "issuer keys",
    given ? "those given" : "those in the bundle: shows that it is consistent, not who made it (--issuer)",
  )
  const keys = given ?? readIssuerKeys(bundled, NATIVE_CRYPTO)
  if (keys) checkSignature(report, statement, { keys, crypto: NATIVE_CRYPTO })
  else report.unchecked("signature", "the bundle's issuer keys cannot be used")
}
