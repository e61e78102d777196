/** Limitations of every answer about a token: this service moves no money and observes no transfer. */
export const TOKEN_LIMITATIONS = ["REDEEMING_PROVES_NO_TRANSFER", "SERVICE_EXECUTES_NO_TRANSFER"] as const

export const STATUS_LIMITATIONS = [...TOKEN_LIMITATIONS, "STATE_MAY_CHANGE_AFTER_THIS_ANSWER"] as const
