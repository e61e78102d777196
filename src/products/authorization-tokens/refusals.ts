import { ServiceError } from "../../base/errors.ts"
import type { Bar } from "../../store/tokens/token-moves.ts"

/** An unknown token, a forged one and one of the other country get the same rejection. */
export function unknownToken(): ServiceError {
  return new ServiceError("TOKEN_UNKNOWN", "No such token was issued in this country.")
}

export function keyReused(): ServiceError {
  return new ServiceError(
    "IDEMPOTENCY_KEY_REUSED",
    "This idempotency key was used for this token with another body; nothing was changed.",
  )
}

export function barred(bar: Bar): ServiceError {
  switch (bar) {
    case "SPENT":
      return new ServiceError("TOKEN_SPENT", "This token was used, by another request or by a Payment Decision.")
    case "REVOKED":
      return new ServiceError("TOKEN_REVOKED", "This token was revoked.")
    case "EXPIRED":
      return new ServiceError("TOKEN_EXPIRED", "This token has expired.")
    case "IN_PROGRESS":
      return new ServiceError("DECISION_IN_PROGRESS", "A Payment Decision in progress relies on this token.", {
        retryAfterSeconds: 5,
      })
  }
}

/** Names the members that differ and repeats no value, neither the sent nor the bound one. */
export function bindingMismatch(members: readonly string[]): ServiceError {
  return new ServiceError(
    "TOKEN_BINDING_MISMATCH",
    "See errors for each member that differs; the token was not spent.",
    {
      errors: members.map((member) => ({
        pointer: `/binding/${member}`,
        code: "DIFFERS",
        expected: "the value of the paid answer",
      })),
    },
  )
}
