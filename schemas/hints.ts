/** What a refusal says of a schema beyond its keywords. The keys are symbols, so nothing of it is published. */

/** A variant that is let through only to be refused by name. No answer asks for its members. */
export const NEVER_ASKED = Symbol("never asked")

/** A constant that names what the service covers. Another text in its place is an unsupported request, not a mistake in its form. */
export const COVERED = Symbol("covered")

export interface Covered {
  readonly code: "COVERAGE_UNSUPPORTED" | "INTENT_UNSUPPORTED"
  /** What is supported and what to do instead, in sentences. */
  readonly detail: string
}
