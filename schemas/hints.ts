// Hints for rejections that a schema's keywords do not express. The keys are symbols, so they are never published.

/** A variant that the schema accepts only so that a later check can reject it by name. No reply asks for its members. */
export const NEVER_REQUESTED = Symbol("never asked")

/** A variant that says the same as the one before it in fewer words. A printer that has room for one form leaves it out. */
export const SHORT_FORM = Symbol("short form")

/** A member that is accepted and changes nothing. A printer that has room for few members leaves it out. */
export const IGNORED = Symbol("ignored")

/** A constant that names what the service covers. Another text in its place is an unsupported request, not a malformed one. */
export const COVERED = Symbol("covered")

export interface Covered {
  readonly code: "COVERAGE_UNSUPPORTED" | "INTENT_UNSUPPORTED"
  /** Sentences that say what is supported and what to do instead. */
  readonly detail: string
}

/** Names of a map of which a request needs one. A later check rejects a request without one. */
export const ONE_OF = Symbol("one of")

/**
 * What a free text is for, where that decides what it may not hold. Without it the text is an id or a reference, which may be a digest or a
 * long number. PROSE: words and names. TRACE: an id for logs, which is never a digest. ACCOUNT: names where money goes.
 */
export const USE = Symbol("use")

export type Use = "PROSE" | "TRACE" | "ACCOUNT"

/** An open object that is a draft of the request with this schema. */
export const DRAFT_OF = Symbol("draft of")
