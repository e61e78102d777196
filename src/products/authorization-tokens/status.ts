import type { StatusRequest, TokenStatusAnswer } from "../../../schemas/authorization-token.ts"
import { tokenHash } from "../../core/authorization-token.ts"
import { formatInstant } from "../../core/time.ts"
import type { Call, Reply } from "../../http/call.ts"
import { tokenState } from "../../store/tokens/token-moves.ts"
import type { TokenDeps } from "./deps.ts"
import { STATUS_LIMITATIONS } from "./limitations.ts"
import { privateReply } from "./private-reply.ts"
import { unknownToken } from "./refusals.ts"

/** Throws ServiceError TOKEN_UNKNOWN. */
export async function status({ store, country }: TokenDeps, { body, at }: Call<StatusRequest>): Promise<Reply> {
  const known = await store.run(() => tokenState(country, tokenHash(body.token), at))
  if (!known) throw unknownToken()
  const { token, inUse } = known
  const answer: TokenStatusAnswer = {
    schema_version: "1.0.0",
    token_state: token.state,
    kind: token.kind,
    product: token.product,
    single_use: true,
    revocable: token.kind === "VENDOR_CHANGE",
    in_use: inUse,
    issued_at: token.issuedAt,
    expires_at: token.expiresAt,
    spent_at: token.state === "SPENT" ? token.changedAt : null,
    revoked_at: token.state === "REVOKED" ? token.changedAt : null,
    valid_as_of: formatInstant(at),
    limitations: [...STATUS_LIMITATIONS],
    next_machine_action: nextAction(token.state, inUse),
  }
  return privateReply(answer, { product: token.product, state: token.state })
}

function nextAction(state: TokenStatusAnswer["token_state"], inUse: boolean): string {
  if (state !== "ISSUED") return "STOP_USING"
  return inUse ? "RETRY_LATER" : "REDEEM_BEFORE_EXPIRY"
}
