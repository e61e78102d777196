/** What a verifier is given, and what it returns. */
import type { AnswerAction } from "../../schemas/business-answer.ts"
import type { Case } from "../../schemas/case.ts"
import type { StatedEnvironment } from "../../schemas/environment.ts"
import type { MachineAction } from "../../schemas/us/proof-capsule.ts"
import type { ReasonInWords } from "../checks/policy/reasons-in-words.ts"
import type { DocumentCrypto } from "../core/crypto/document-crypto.ts"
import type { Report } from "./report.ts"
import type { IssuerKeys } from "./steps/issuer-keys.ts"

/** What the document must permit and be. */
export interface Requirements {
  readonly require?: MachineAction | AnswerAction
  /** The environment that the document must be of. Without it, a document of which an action is required must be live. */
  readonly environment?: Environment
}

export interface VerifyInput extends Requirements {
  readonly bytes: Uint8Array
  readonly keys: IssuerKeys
  readonly crypto: DocumentCrypto
  /** The time at which the document is judged, in milliseconds. */
  readonly at: number
  /** True: other bytes than the canonical ones, e.g. a pretty-printed copy, do not make the conclusion INVALID. */
  readonly reformatted: boolean
  /** The parsed request that this document must answer. */
  readonly request?: unknown
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
  readonly reasons: readonly ReasonInWords[]
  readonly validUntil: string
  /** Null when the document states none. */
  readonly environment: StatedEnvironment | null
}

export interface VerifyResult {
  readonly report: Report
  /** Null when the document could not be read. */
  readonly stated: Stated | null
  /** What a person needs to judge the document. Proven only as `stated` is. Null for a document that contains no answer. */
  readonly case: Case | null
}
