/**
 * DRAFT_INVALID, JOB_INVALID, KEY_INVALID: an argument has the wrong form. The others: each argument is well formed, and two of them do not
 * belong together, or the request in the draft is not signed by its agent.
 */
type BindingFault =
  | "DRAFT_INVALID"
  | "JOB_INVALID"
  | "KEY_INVALID"
  | "PROVIDER_DIFFERS"
  | "CLIENT_DIFFERS"
  | "KEY_DIFFERS"
  | "REQUEST_NOT_SIGNED"

/** The message is `field` and `expected` as one sentence. It contains no value that was given, so no key. */
export class BindingError extends Error {
  override readonly name = "BindingError"

  constructor(
    readonly code: BindingFault,
    /** Argument and JSON pointer in it, for example `draft/purchase/price`. */
    readonly field: string,
    readonly expected: string,
  ) {
    super(`${field} ${expected}`)
  }
}
