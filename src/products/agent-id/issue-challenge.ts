import type { IssueAgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import { enrolmentEvent } from "../../core/key-event.ts"
import type { Call, Reply } from "../../http/call.ts"
import { replyKeyChange } from "./issue-key-change.ts"
import { challengeReply, eventParts, type IssueDeps, issueCounted } from "./open-challenge.ts"
import { checkedKeys, requirePublicMaterial } from "./submitted-keys.ts"

/** Issues a challenge: the exact event that the keys must sign. No other member of the reply is signed. */
export async function replyChallenge(deps: IssueDeps, call: Call<IssueAgentIdentityChallenge>): Promise<Reply> {
  requirePublicMaterial(call.body)
  return call.body.purpose === "ENROLLMENT"
    ? replyEnrolment(deps, call, call.body)
    : replyKeyChange(deps, call, call.body)
}

type EnrolmentBody = Extract<IssueAgentIdentityChallenge, { purpose: "ENROLLMENT" }>

/** Does not check whether a key is already enrolled. Only a caller who proved possession of the key may learn that. */
async function replyEnrolment(deps: IssueDeps, call: Call<unknown>, body: EnrolmentBody): Promise<Reply> {
  const event = enrolmentEvent({
    ...checkedKeys(body.operational_public_jwk, body.recovery_public_jwk),
    ...eventParts(deps, call.at),
    nextOperationalKeyDigest: body.next_operational_key_digest ?? null,
  })
  await issueCounted(deps, call, event, null)
  const { operational, recovery } = event.keys
  const required = [
    { role: "OPERATIONAL", key: operational },
    { role: "RECOVERY", key: recovery },
  ] as const
  return challengeReply(event, required, deps.baseUrl(), { purpose: body.purpose })
}
