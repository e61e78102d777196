/** What a person gives to a verification, and what the program knows. */
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import type { AnswerForm } from "../kinds/answer-document.ts"
import type { DecisionForm } from "../kinds/decision-document.ts"
import type { GivenFile } from "./given-files.ts"

/** Flags of the command that name one file each. The page has a field for each. */
type FileFlag = "issuer" | "request" | "capsule" | "check" | "requirement" | "job"

/** Flags of the command with a value that is no file. */
type TextFlag = "at" | "require" | "environment" | "submitted"

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
