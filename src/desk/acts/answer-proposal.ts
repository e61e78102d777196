/** Another person approves or rejects a proposal, or its own person withdraws it. */
import { composeAct, NO_MEMBERS } from "../../review/acts.ts"
import { choiceField, optionalText, textField } from "../form-fields.ts"
import { reviewDeps } from "../review-deps.ts"
import type { DeskReply, OwnVisit } from "../visit.ts"
import { readStored } from "./show-record.ts"

const ANSWERS = ["APPROVE", "REJECT", "WITHDRAW"] as const

export async function answerProposal({ deps, me, form, params: [number = ""] }: OwnVisit): Promise<DeskReply> {
  const { record, digest } = await readStored(deps, number)
  const kind = choiceField(form, "answer", { label: "an answer", choices: ANSWERS })
  const text =
    kind === "REJECT" ? textField(form, "because", "The reason") : optionalText(form, "because", "The reason")
  const { case: about, hit, until, subject_digest: subjectDigest } = record
  const { challenge } = await composeAct(reviewDeps(deps), me.sessionHash, {
    ...NO_MEMBERS,
    ...{ kind, text, case: about, hit, until, subjectDigest, answers: digest },
    reviewer: me.reviewerId,
    key_id: me.keyId,
  })
  return { to: `/sign/${challenge}` }
}
