import type { Revocation, TokenRevocationAnswer } from "../../../schemas/authorization-token.ts"
import { ServiceError } from "../../base/errors.ts"
import { tokenHash } from "../../core/authorization-token.ts"
import { digestOf } from "../../core/digest.ts"
import { without } from "../../core/without.ts"
import type { Call, Reply } from "../../http/call.ts"
import { type MovedToken, revokeToken } from "../../store/tokens/token-moves.ts"
import type { TokenDeps } from "./deps.ts"
import { TOKEN_LIMITATIONS } from "./limitations.ts"
import { privateReply } from "./private-reply.ts"
import { barred, keyReused, unknownToken } from "./refusals.ts"

/** Throws ServiceError: TOKEN_*, IDEMPOTENCY_KEY_REUSED, DECISION_IN_PROGRESS. */
export async function revoke({ store, country }: TokenDeps, { body, at }: Call<Revocation>): Promise<Reply> {
  const { token, idempotency_key: idempotencyKey, reason } = body
  const request = { country, tokenHash: tokenHash(token), idempotencyKey, reason, at }
  const requestDigest = digestOf(without(body, "token"))
  const outcome = await store.run(() => revokeToken({ ...request, requestDigest }))
  switch (outcome.kind) {
    case "DONE":
      return privateReply(revocation(outcome.token, outcome.replayed), {
        product: outcome.token.product,
        outcome: outcome.replayed ? "REPLAYED" : "REVOKED",
      })
    case "UNKNOWN":
      throw unknownToken()
    case "NOT_REVOCABLE":
      throw new ServiceError("TOKEN_NOT_REVOCABLE", "Only the authorization of a changed destination can be revoked.")
    case "KEY_REUSED":
      throw keyReused()
    case "BARRED":
      throw barred(outcome.bar)
  }
}

function revocation(
  { product, changedAt, revocationReason, expiresAt }: MovedToken,
  replayed: boolean,
): TokenRevocationAnswer {
  return {
    schema_version: "1.0.0",
    token_state: "REVOKED",
    kind: "VENDOR_CHANGE",
    product,
    revoked_at: changedAt,
    reason: revocationReason ?? "UNSPECIFIED",
    expires_at: expiresAt,
    replayed,
    limitations: [...TOKEN_LIMITATIONS],
    next_machine_action: "STOP_USING",
  }
}
