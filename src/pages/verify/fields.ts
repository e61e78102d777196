/** The fields of the page. Each is a file or a value that the command takes, under the same name. */
import { ACTIONS, ENVIRONMENTS } from "../../offline/given/verify-terms.ts"

export type FileName =
  | "document"
  | "issuer"
  | "capsule"
  | "request"
  | "check"
  | "listed"
  | "requirement"
  | "job"
  | "since"
  | "receipt"

export interface FileField {
  readonly name: FileName
  readonly label: string
  /** Name of the file in the messages of the verifier, which are those of the command. */
  readonly flag: string
  readonly hint: string
  /** The text can also be pasted. */
  readonly takesText: boolean
  readonly takesSeveral?: true
}

/** The two files of every check. */
export const MAIN_FILES: readonly FileField[] = [
  {
    name: "document",
    label: "Document",
    flag: "FILE",
    hint: "A delivery, an answer, a bundle, a deliverable, a passport, a capability manifest, a service proof, or the export bundle of an agent identity.",
    takesText: true,
  },
  {
    name: "issuer",
    label: "Keys of the issuer",
    flag: "--issuer",
    hint: "The public keys of whoever signed it, as a JWK set: usually the file issuer.jwks.json. Get it by another way than the document, because keys that arrive with a document prove nothing.",
    takesText: true,
  },
]

export const MORE_FILES: readonly FileField[] = [
  {
    name: "capsule",
    label: "Capsule of an answer",
    flag: "--capsule",
    hint: "Needed for an answer without a bundle: the signed capsule, or the text of the header Svc-Proof-Capsule.",
    takesText: true,
  },
  {
    name: "request",
    label: "Request",
    flag: "--request",
    hint: "The document must answer exactly this request.",
    takesText: true,
  },
  {
    name: "check",
    label: "Answer of a company check",
    flag: "--check",
    hint: "A passport must be made from this answer.",
    takesText: false,
  },
  {
    name: "listed",
    label: "Listed documents",
    flag: "--document",
    hint: "A capability manifest or a service proof must list each of them by its digest.",
    takesText: false,
    takesSeveral: true,
  },
  {
    name: "requirement",
    label: "Final requirement of a job",
    flag: "--requirement",
    hint: "The deliverable must be for this requirement.",
    takesText: false,
  },
  {
    name: "job",
    label: "Job on the chain",
    flag: "--job",
    hint: "The deliverable must be for this job, as you read it on the chain.",
    takesText: false,
  },
  {
    name: "receipt",
    label: "Receipt of a key event",
    flag: "--receipt",
    hint: "Its event must be in the bundle of the agent identity.",
    takesText: false,
  },
  {
    name: "since",
    label: "Earlier checkpoint or bundle",
    flag: "--since",
    hint: "The bundle of the agent identity must not be older, and must continue the same history.",
    takesText: false,
  },
]

export type TextName = "at" | "require" | "environment" | "submitted" | "log-key"

export interface TextField {
  readonly name: TextName
  readonly label: string
  readonly flag: string
  readonly hint: string
  /** The only values, if they are few. */
  readonly choices?: readonly string[]
}

export const TEXTS: readonly TextField[] = [
  {
    name: "at",
    label: "Judge at this time",
    flag: "--at",
    hint: "An RFC 3339 time, for example 2026-11-20T10:00:00Z. Without it the clock of this device counts.",
  },
  {
    name: "require",
    label: "Required machine action",
    flag: "--require",
    hint: "The document must permit exactly this, and must be live unless you choose another environment.",
    choices: [...new Set(ACTIONS)],
  },
  {
    name: "environment",
    label: "Required environment",
    flag: "--environment",
    hint: "The document must be of this environment.",
    choices: ENVIRONMENTS,
  },
  {
    name: "submitted",
    label: "Submitted hash",
    flag: "--submitted",
    hint: "The deliverable must have the hash of the event JobSubmitted: 0x and 64 hex digits.",
  },
  {
    name: "log-key",
    label: "Key of the transparency log",
    flag: "--log-key",
    hint: "For the bundle of an agent identity. Without it the bundle is consistent at best, and its origin is not proven.",
  },
]
