/** A person enrols a passkey: the browser makes one, and it signs the record of its own enrolment. */
import { encodeBase64url } from "../../core/base64url.ts"
import { registrationIn } from "../../core/passkeys/ceremony.ts"
import { html } from "../../pages/html.ts"
import { composeAct, NO_MEMBERS } from "../../review/acts.ts"
import { takeRegistration } from "../../review/passkeys.ts"
import { askFor } from "../../review/purposes.ts"
import { keysOf } from "../../store/review/review-register.ts"
import { DeskRefusal } from "../desk-refusal.ts"
import { DESK_SCRIPT } from "../desk-script.ts"
import { faultWords } from "../fault-words.ts"
import { nameOf } from "../parts.ts"
import { credentialIn, passkeyForm, registrationOptions } from "../passkey-form.ts"
import { reviewDeps } from "../review-deps.ts"
import type { DeskReply, OwnVisit } from "../visit.ts"

/** A session that no passkey opened may enrol one only for a person who has none. */
function requireMayEnrol({ state }: OwnVisit["me"]): void {
  if (state === "TO_ENROL" || state === "REVIEWER") return
  const wayOut = state === "TO_PROVE" ? "Show it first." : "It waits for the approval of other reviewers."
  throw new DeskRefusal(403, `You have a passkey. ${wayOut}`)
}

export async function showEnrol({ deps, me }: OwnVisit): Promise<DeskReply> {
  if (me.state === "TO_PROVE") return { to: "/prove" }
  requireMayEnrol(me)
  const challenge = await askFor(deps, me.sessionHash, { asks: "REGISTRATION" })
  const known = (await deps.store.read(() => keysOf(me.reviewerId))).map(({ credentialId }) => credentialId)
  const userId = encodeBase64url(new TextEncoder().encode(me.reviewerId))
  const options = registrationOptions({ origin: deps.origin, challenge, userId, name: me.name, known })
  const form = { action: "/enrol", kind: "create" as const, options, label: "Make a passkey" }
  const recused = me.recusals.length === 0 ? html`nobody` : nameOf(me.recusals.join(", "), 4_000)
  return {
    status: 200,
    page: {
      title: "Enrol a passkey",
      script: DESK_SCRIPT,
      main: html`<h1>Enrol a passkey</h1>
<p>You are ${nameOf(me.name)}. Recused from: ${recused}.</p>
<p>Each of your judgements is signed with this passkey. Its key stays on your device.</p>
${me.state === "REVIEWER" && me.breakGlass === null ? html`<p>You have a passkey, so this one waits for approvals. Where one person judges, you approve it with the other one.</p>` : html``}
${passkeyForm(me, form)}`,
    },
  }
}

export async function enrolKey({ deps, me, form }: OwnVisit): Promise<DeskReply> {
  requireMayEnrol(me)
  const registration = registrationIn(credentialIn(form))
  if (registration === null) throw new DeskRefusal(422, "The browser made no passkey. Open the page again.")
  const taken = await takeRegistration(deps, me.sessionHash, registration)
  if (taken.fault !== null) throw new DeskRefusal(422, faultWords(taken.fault))
  const { reviewerId: reviewer, name, recusals, breakGlass: break_glass } = me
  const { made } = taken
  const { challenge } = await composeAct(reviewDeps(deps), me.sessionHash, {
    ...NO_MEMBERS,
    kind: "ENROL",
    subject: { kind: "ENROL", reviewer, name, recusals: [...recusals], break_glass, ...made },
    reviewer,
    key_id: made.key_id,
  })
  return { to: `/sign/${challenge}` }
}
