/** How one row of a comparison is made: what the request says beside what a source or a record says. */
import type { ComparedRow } from "../../schemas/case.ts"
import { textAt, textsAt, type Value } from "./members.ts"

/** The documents of one case, and the codes that its answer gives. Anything may be missing. */
export interface CaseParts {
  readonly request: Value
  readonly answer: Value
  readonly facts: Value
  /** The reason codes of the answer. */
  readonly codes: ReadonlySet<string>
}

export type RowsOf = (parts: CaseParts) => readonly ComparedRow[]

/** Where a found value comes from. */
export interface Origin {
  readonly source: string | null
  readonly date: string | null
}

type Pair = readonly [what: string, asked: string | null, found: string | null]

/** Words for what the service itself stored about earlier answers to this buyer. */
export const OWN_RECORDS = "records of this service"

/** `isSame` is used where both values are there. */
export function compared([what, asked, found]: Pair, isSame: boolean, { source, date }: Origin): ComparedRow {
  const result = found === null ? "NOT_STATED" : asked === null ? "NOT_ASKED" : isSame ? "SAME" : "DIFFERS"
  return { what, asked, found, result, source, date }
}

/** A value that no source knows. */
export function unasked(what: string, found: string | null, origin: Origin): ComparedRow {
  return compared([what, null, found], false, origin)
}

export function differsIfAny({ codes }: Pick<CaseParts, "codes">, ...fired: readonly string[]): boolean {
  return fired.some((code) => codes.has(code))
}

/** The source of a fact, and the time of its publication. A publication of unknown time has none, whatever else the fact says. */
export function originOf(fact: Value): Origin {
  return { source: textAt(fact, "source_id"), date: publishedAt(fact, textsAt(fact, "limitations")) }
}

/** RFC 3339. `limitations`: those that the document states about the publication. */
export function publishedAt(fact: Value, limitations: readonly string[]): string | null {
  const isUnknown = limitations.some((one) => one.endsWith("PUBLICATION_UNKNOWN"))
  return isUnknown ? null : (textAt(fact, "published_at") ?? textAt(fact, "source_timestamp"))
}
