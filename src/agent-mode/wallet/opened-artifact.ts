import type { WalletVerification } from "../../../schemas/agent-mode/proof-wallet.ts"
import type { StatedEnvironment } from "../../../schemas/environment.ts"
import type { VerifierKey } from "../../core/checkpoint.ts"
import type { VerifyInput, VerifyResult } from "../../offline/verify-input.ts"
import type { AnyBusinessAnswerRules } from "../../products/common/answer-rules.ts"
import type { Unit } from "../../store/engine/unit.ts"
import type { KeyUse, ServiceKey } from "../../store/identity/service-keys.ts"
import type { WaitingCapsules } from "../../store/log/sequenced-log.ts"
import type { SubjectDigests } from "./judge-reuse.ts"

/** What the service is: the names and keys against which a document is judged. */
export interface WalletIssuer {
  /** The configured `issuer_id`. */
  readonly issuer: string
  readonly baseUrl: () => string
  readonly environment: StatedEnvironment
  /** Any key of this service, of every use and status. */
  readonly findKey: (keyId: string) => ServiceKey | undefined
  /** Keys whose checkpoints count, under every name that the log has had, the current one first. */
  readonly logKeys: () => readonly VerifierKey[]
  readonly answerRules: readonly AnyBusinessAnswerRules[]
  /** The offline verifier of company passports. */
  readonly verifyPassport: (input: Omit<VerifyInput, "request" | "require" | "crypto">) => Promise<VerifyResult>
}

/** What the service's own database says about a document. */
export interface OwnRecord {
  readonly matches: boolean
  /** RFC 3339: when a record that matches was logged. Null if it was not. */
  readonly loggedAt: string | null
  /** Only of a record that matches and has no leaf: the capsules that wait for theirs, and it may be one of them. */
  readonly waiting?: WaitingCapsules
  /** Only of a service proof: the agent id in it is one of this service's own. */
  readonly isOwnAgent?: boolean
}

export const NOT_KEPT: OwnRecord = { matches: false, loggedAt: null }

interface CheckInput {
  /** The key of the service that the document names. */
  readonly key: ServiceKey
  readonly record: OwnRecord
  readonly at: number
}

/** A document of any kind, read but not verified. */
export interface OpenedArtifact {
  /** Computed, never read from the document, so that an edited document is another artifact. */
  readonly digest: string
  /** `signature.issuer` and the issuers in signed payloads. */
  readonly issuers: readonly string[]
  readonly signingKeyId: string
  readonly keyUse: KeyUse
  /** The environment that it names, or null if its form names none. */
  readonly environment: string | null
  readonly subject: WalletVerification["subject"]
  readonly product: string | null
  readonly subjectDigests: SubjectDigests
  readonly reference: string | null
  readonly decision: string | null
  /** RFC 3339, as the document states them. */
  readonly validAsOf: string | null
  readonly validUntil: string | null
  readonly limitations: readonly string[]
  /** The document as it may be stored. */
  readonly stored: object
  /** Reason why the document proves nothing, whoever made it. Null for almost all. */
  readonly rejected: string | null
  readonly record: () => Unit<OwnRecord>
  /** Returns the name of the first check that fails, or null. The status of the key is not judged here. */
  readonly check: (input: CheckInput) => string | null | Promise<string | null>
}

/** A limitation of the wallet: anyone with a copy can import an answer, and no entry says who bought it. */
export const HOLDING_PROVES_NO_PURCHASE = "HOLDING_PROVES_NO_PURCHASE"

/** Members of an artifact that replaces no purchase. */
export const PROVES_NO_ANSWER = {
  product: null,
  subjectDigests: {},
  reference: null,
  decision: null,
  limitations: [],
  rejected: null,
} as const
