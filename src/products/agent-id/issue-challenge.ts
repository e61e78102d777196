import type { IssueAgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import { enrolmentEvent } from "../../core/key-event.ts"
import type { Answer, Call } from "../../http/call.ts"
import { answerKeyChange } from "./issue-key-change.ts"
import { challengeAnswer, eventParts, type IssueDeps, issueCounted } from "./open-challenge.ts"
import { checkedKeys, refusePrivateMaterial } from "./submitted-keys.ts"

/** Issues a challenge: the exact event that the keys must sign. No other member of the reply is signed. */
export async function answerChallenge(deps: IssueDeps, call: Call<IssueAgentIdentityChallenge>): Promise<Answer> {
  refusePrivateMaterial(call.body)
  return call.body.purpose === "ENROLLMENT"
    ? answerEnrolment(deps, call, call.body)
    : answerKeyChange(deps, call, call.body)
}

type EnrolmentBody = Extract<IssueAgentIdentityChallenge, { purpose: "ENROLLMENT" }>

/** Does not check whether a key is already enrolled. Only a caller who proved possession of the key may learn that. */
async function answerEnrolment(deps: IssueDeps, call: Call<unknown>, body: EnrolmentBody): Promise<Answer> {
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
  return challengeAnswer(event, required, deps.baseUrl(), { purpose: body.purpose })
}
