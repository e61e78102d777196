/** What a document says, in parts that text, JSON and a page show alike. Nothing here is verified. */
import type { Case } from "../../../schemas/case.ts"

export interface DocumentView {
  /** With its article: "a delivered Payment Decision". */
  readonly kind: string
  /** What a reader must know before anything else, a sentence each. */
  readonly warnings: readonly string[]
  /** Null for a document without a decision. */
  readonly decision: StatedDecision | null
  /** What a person needs to judge the answer. Null for a document without a decision, and for a passport. */
  readonly case: Case | null
  /** What to do now, a sentence each. */
  readonly advice: readonly string[]
  readonly reasons: readonly ReasonView[]
  /** Who, what, how much, how long, and the ids of it. */
  readonly facts: readonly FactView[]
  readonly sources: readonly SourceView[]
}

export interface StatedDecision {
  readonly decision: string
  readonly machineAction: string
}

export interface ReasonView {
  readonly code: string
  /** Null when this program does not have the policy version. */
  readonly why: string | null
  /** What a machine should do about it; empty when nothing is asked. */
  readonly remediation: string
}

export interface FactView {
  readonly label: string
  readonly value: string
}

/** A list, a register or another source on which the document relies. Times as the document has them. */
export interface SourceView {
  readonly name: string
  /** Null if it is unknown. A document that says so may still have a `source_timestamp`: then that is the time of the retrieval. */
  readonly published: string | null
  /** Null if the document names none. */
  readonly retrieved: string | null
  /** The rest, in the document's words. */
  readonly detail: string
}

/** Before decision and action that no case knows: a stranger may have written any words there. */
export function statedPrefix({ case: one }: Pick<DocumentView, "case">): string {
  return one?.is_known ? "" : "It says: "
}

/** The reasons that no case names as what stopped the answer: those of a document without a case, and those that a decision only states. */
export function otherReasons({ case: one, reasons }: Pick<DocumentView, "case" | "reasons">): readonly ReasonView[] {
  return reasons.filter(({ code }) => !one?.stopped_by.some((reason) => reason.code === code))
}
