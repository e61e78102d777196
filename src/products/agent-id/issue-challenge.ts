import type { IssueAgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import { enrolmentEvent } from "../../core/key-event.ts"
import type { Answer, Call } from "../../http/call.ts"
import { answerKeyChange } from "./issue-key-change.ts"
import { challengeAnswer, eventParts, type IssueDeps, issueCounted } from "./open-challenge.ts"
import { checkedKeys, refusePrivateMaterial } from "./submitted-keys.ts"

/** Answers a challenge: the very event the keys are to sign, and nothing beside it that is signed. */
export async function answerChallenge(deps: IssueDeps, call: Call<IssueAgentIdentityChallenge>): Promise<Answer> {
  refusePrivateMaterial(call.body)
  return call.body.purpose === "ENROLLMENT"
    ? answerEnrolment(deps, call, call.body)
    : answerKeyChange(deps, call, call.body)
}

type EnrolmentBody = Extract<IssueAgentIdentityChallenge, { purpose: "ENROLLMENT" }>

/** Whether a key is enrolled already is not looked up here; that is told only to someone who has proved possession of it. */
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
