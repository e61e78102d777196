/** Shows the record that waits for its signature, and stores it with the assertion of the passkey. */

import type { Case } from "../../../schemas/case.ts"
import type { ReviewRecord } from "../../../schemas/review.ts"
import { digestOf } from "../../core/digest.ts"
import { assertionIn } from "../../core/passkeys/ceremony.ts"
import { takeAct } from "../../review/acts.ts"
import { type Composed, challengeIn, readPurpose } from "../../review/purposes.ts"
import { shownDocument } from "../../store/review/review-reads.ts"
import { findRecord, type StoredRecord } from "../../store/review/review-records.ts"
import { findKey } from "../../store/review/review-register.ts"
import { provePasskey } from "../../store/review/review-sessions.ts"
import type { DeskDeps } from "../deps.ts"
import { DeskRefusal } from "../desk-refusal.ts"
import { faultWords } from "../fault-words.ts"
import { contradictedBy } from "../in-force.ts"
import { liftedBy } from "../lifted.ts"
import type { Known } from "../pages/sentence.ts"
import { signPage } from "../pages/sign-page.ts"
import { assertionOptions, credentialIn } from "../passkey-form.ts"
import { reviewDeps } from "../review-deps.ts"
import { namesOf } from "../reviewer-names.ts"
import type { DeskReply, OwnVisit } from "../visit.ts"

/** The record of a challenge of this session. */
async function waiting({ deps, me }: Pick<OwnVisit, "deps" | "me">, challenge: string): Promise<Composed> {
  const purpose = await readPurpose(deps, me.sessionHash, challenge)
  if (purpose?.asks === "RECORD") return purpose.act
  throw new DeskRefusal(404, faultWords("CHALLENGE_UNKNOWN"))
}

/** The proposal that the act answers; null if it answers none. */
async function answeredBy({ store }: Pick<DeskDeps, "store">, { record: { answers } }: Composed) {
  return answers === null ? null : await store.read(() => findRecord(answers))
}

/** The party that the act judges, or that the proposal which it answers judges. */
function judgedBy({ record: { case: about }, judged }: Composed, proposal: StoredRecord | null) {
  const party = judged ?? proposal?.judged ?? null
  return about === null || party === null ? null : { product: about.product, party }
}

/** An answer names the case as its proposer saw it. */
async function knownTo({ deps, me }: Pick<OwnVisit, "deps" | "me">, { record, shown }: Composed): Promise<Known> {
  const { case: about } = record
  const document = about === null ? null : (shown ?? (await deps.store.read(() => shownDocument(about.case_digest))))
  return {
    ...{ names: await namesOf(deps), register: me.register },
    shown: document === null ? null : (JSON.parse(document) as Case),
  }
}

export async function showSign({ deps, me, params: [challenge = ""] }: OwnVisit): Promise<DeskReply> {
  const act = await waiting({ deps, me }, challenge)
  const { record, subject } = act
  const key = await deps.store.read(() => findKey(record.key_id ?? ""))
  const credentialId = key?.credentialId ?? (subject?.kind === "ENROL" ? subject.credential_id : null)
  if (credentialId === null) throw new DeskRefusal(422, faultWords("KEY_UNKNOWN"))
  const proposal = await answeredBy(deps, act)
  const judged = judgedBy(act, proposal)
  const options = assertionOptions(deps.origin, challenge, [credentialId])
  const known = await knownTo({ deps, me }, act)
  const lifted = record.hit === null || judged === null ? null : liftedBy(deps, { ...judged, hit: record.hit })
  const contradicted = contradictedBy(deps, record)
  const terms = { me, act, proposal, digest: digestOf(record), lifted, contradicted, options, known }
  return { status: 200, page: signPage(terms) }
}

export async function sign({ deps, me, form }: OwnVisit): Promise<DeskReply> {
  const assertion = assertionIn(credentialIn(form))
  if (assertion === null) throw new DeskRefusal(422, "The browser sent no signature. Open the page again.")
  const challenge = challengeIn(assertion)
  if (challenge === null) throw new DeskRefusal(422, faultWords("CLIENT_DATA"))
  const act = await waiting({ deps, me }, challenge)
  const { record, subject } = act
  const judged = judgedBy(act, await answeredBy(deps, act))
  const taken = await takeAct(reviewDeps(deps, judged), me.sessionHash, assertion)
  if (taken.fault !== null) throw new DeskRefusal(422, faultWords(taken.fault))
  const { sequence, effect } = taken
  deps.log.info("review_recorded", { record: sequence, kind: record.kind, effect, reviewer: me.reviewerId })
  warnIfContradicted(deps, { ...record, sequence })
  // The person just signed with the new key, so the session need not ask for it again.
  if (subject?.kind === "ENROL" && me.keyId === null) {
    await deps.store.run(() => provePasskey(me.sessionHash, subject.key_id))
  }
  return { to: `/records/${sequence}` }
}

/** The judgement still lifts the hit, and only the operator can end it. */
function warnIfContradicted(deps: DeskDeps, record: ReviewRecord & { readonly sequence: number }): void {
  const found = contradictedBy(deps, record)
  if (found === null) return
  const { sequence, kind, case: about, reviewer } = record
  const members = { record: sequence, kind, case: about?.number ?? null, reviewer }
  deps.log.warn("judgement_contradicted", { ...members, suppression_id: found.suppressionId })
}
