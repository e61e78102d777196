/** Prepares a stored answer for sending: adds the token for the payer, marks a repetition, and attaches the capsule. */
import { CAPSULE_HEADER } from "../../../schemas/answer-capsule.ts"
import type { BusinessAnswer } from "../../../schemas/business-answer.ts"
import { mayContinue } from "../../checks/policy/answer.ts"
import { authorizationToken } from "../../core/authorization-token.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { TOKEN_NOT_REPLAYED } from "../../core/capsule/answer-view.ts"
import type { PresentedReply, StoredAnswer } from "../../delivery/sale.ts"

/** The copy for the payer. The token is computed again, because no token is stored. */
export function presentToPayer(stored: StoredAnswer, tokenKey: Uint8Array, replayed: boolean): PresentedReply {
  const answer = readAnswer(stored.body)
  const { result } = answer
  const issued = "authorization_token" in result && mayContinue(answer)
  if (!issued && !replayed) return { body: stored.body, headers: capsuleHeader(stored.capsuleJson) }
  const shown = issued ? { ...result, authorization_token: authorizationToken(tokenKey, answer.execution_id) } : result
  return { body: canonicalize({ ...answer, replayed, result: shown }), headers: capsuleHeader(stored.capsuleJson) }
}

/** The copy for a caller who knows the execution id: everything except the token. */
export function presentByExecution(stored: StoredAnswer): PresentedReply {
  const answer = readAnswer(stored.body)
  const withheld = "authorization_token" in answer.result && mayContinue(answer)
  const limitations = withheld ? [...answer.limitations, TOKEN_NOT_REPLAYED] : answer.limitations
  return {
    body: canonicalize({ ...answer, replayed: true, limitations }),
    headers: capsuleHeader(stored.capsuleJson),
  }
}

function readAnswer(body: string): BusinessAnswer {
  return JSON.parse(body) as BusinessAnswer
}

function capsuleHeader(capsuleJson: string): Record<string, string> {
  return { [CAPSULE_HEADER]: encodeBase64url(new TextEncoder().encode(capsuleJson)) }
}
