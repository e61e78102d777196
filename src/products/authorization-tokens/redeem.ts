import type { Redemption, RedemptionAnswer } from "../../../schemas/authorization-token.ts"
import { tokenHash } from "../../core/authorization-token.ts"
import { digestOf } from "../../core/digest.ts"
import { without } from "../../core/without.ts"
import type { Call, Reply } from "../../http/call.ts"
import { type MovedToken, redeemToken } from "../../store/tokens/token-moves.ts"
import type { TokenDeps } from "./deps.ts"
import { TOKEN_LIMITATIONS } from "./limitations.ts"
import { privateReply } from "./private-reply.ts"
import { barred, bindingMismatch, keyReused, unknownToken } from "./refusals.ts"

/** Throws ServiceError: TOKEN_*, IDEMPOTENCY_KEY_REUSED, DECISION_IN_PROGRESS. */
export async function redeem({ store, country }: TokenDeps, { body, at }: Call<Redemption>): Promise<Reply> {
  const { token, idempotency_key: idempotencyKey, binding } = body
  const request = { country, tokenHash: tokenHash(token), idempotencyKey, binding, at }
  const requestDigest = digestOf(without(body, "token"))
  const outcome = await store.run(() => redeemToken({ ...request, requestDigest }))
  switch (outcome.kind) {
    case "DONE":
      return privateReply(redemption(outcome.token, outcome.replayed), {
        product: outcome.token.product,
        outcome: outcome.replayed ? "REPLAYED" : "REDEEMED",
      })
    case "UNKNOWN":
      throw unknownToken()
    case "KEY_REUSED":
      throw keyReused()
    case "MISMATCH":
      throw bindingMismatch(outcome.members)
    case "BARRED":
      throw barred(outcome.bar)
  }
}

/** Built from the database row alone, so that a repetition has the same bytes except for `replayed`. */
function redemption({ kind, product, changedAt, expiresAt }: MovedToken, replayed: boolean): RedemptionAnswer {
  return {
    schema_version: "1.0.0",
    token_state: "SPENT",
    kind,
    product,
    redeemed_at: changedAt,
    expires_at: expiresAt,
    replayed,
    limitations: [...TOKEN_LIMITATIONS],
    next_machine_action: "PROCEED_ONCE_WITHIN_BOUND_VALUES",
  }
}
