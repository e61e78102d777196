/** Who may judge: the persons, their passkeys, and how many must judge. */
import type { ReviewSubject } from "../../../schemas/review.ts"
import { composeAct, NO_MEMBERS } from "../../review/acts.ts"
import { newestRegisterRecords } from "../../store/review/review-reads.ts"
import { listKeys, listReviewers } from "../../store/review/review-register.ts"
import { DeskRefusal } from "../desk-refusal.ts"
import { numberField, textField } from "../form-fields.ts"
import { reviewersPage } from "../pages/reviewers-page.ts"
import { reviewDeps } from "../review-deps.ts"
import type { DeskReply, OwnVisit } from "../visit.ts"

const PERSONS_MAX = 9

export async function showReviewers({ deps, me }: OwnVisit): Promise<DeskReply> {
  const read = await deps.store.read(function* () {
    return {
      reviewers: yield* listReviewers(),
      keys: yield* listKeys(),
      records: yield* newestRegisterRecords(),
    }
  })
  return { status: 200, page: reviewersPage({ me, ...read }) }
}

export async function revokeKey(visit: OwnVisit): Promise<DeskReply> {
  const { me, form } = visit
  const keyId = form.text("key")
  const key = me.register.keys.get(keyId)
  if (key === undefined || key.state === "REVOKED") throw new DeskRefusal(422, "Choose a passkey that is not revoked.")
  return compose(visit, { kind: "REVOKE", key_id: keyId }, textField(form, "because", "The reason"))
}

export async function changePolicy(visit: OwnVisit): Promise<DeskReply> {
  const { form } = visit
  const persons = numberField(form, "persons", "The number of persons who must judge", PERSONS_MAX)
  const of = numberField(form, "of", "The number of persons who must be able to", PERSONS_MAX)
  if (of < persons) throw new DeskRefusal(422, "At least as many persons must be able to judge as must judge.")
  return compose(visit, { kind: "POLICY", persons, of }, textField(form, "because", "The reason"))
}

async function compose({ deps, me }: OwnVisit, subject: ReviewSubject, text: string): Promise<DeskReply> {
  const { challenge } = await composeAct(reviewDeps(deps), me.sessionHash, {
    ...NO_MEMBERS,
    ...{ kind: subject.kind, subject, text, reviewer: me.reviewerId, key_id: me.keyId },
  })
  return { to: `/sign/${challenge}` }
}
