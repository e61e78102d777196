/** A passkey opens the session. */
import { assertionIn } from "../../core/passkeys/ceremony.ts"
import { html } from "../../pages/html.ts"
import { takeEntrance } from "../../review/passkeys.ts"
import { askFor } from "../../review/purposes.ts"
import { keysOf } from "../../store/review/review-register.ts"
import { DeskRefusal } from "../desk-refusal.ts"
import { DESK_SCRIPT } from "../desk-script.ts"
import { faultWords } from "../fault-words.ts"
import { assertionOptions, credentialIn, passkeyForm } from "../passkey-form.ts"
import type { DeskReply, OwnVisit } from "../visit.ts"

export async function showProve({ deps, me }: OwnVisit): Promise<DeskReply> {
  if (me.state === "TO_ENROL") return { to: "/enrol" }
  if (me.state === "REVIEWER") return { to: "/" }
  const challenge = await askFor(deps, me.sessionHash, { asks: "ENTRANCE" })
  const keys = (await deps.store.read(() => keysOf(me.reviewerId))).filter(({ state }) => state !== "REVOKED")
  const options = assertionOptions(
    deps.origin,
    challenge,
    keys.map((key) => key.credentialId),
  )
  const form = { action: "/prove", kind: "get" as const, options, label: "Enter with your passkey" }
  return {
    status: 200,
    page: {
      title: "Show your passkey",
      script: DESK_SCRIPT,
      main: html`<h1>Show your passkey</h1>
<p>The session opens with the passkey that you enrolled.</p>
${passkeyForm(me, form)}`,
    },
  }
}

export async function prove({ deps, me, form }: OwnVisit): Promise<DeskReply> {
  const assertion = assertionIn(credentialIn(form))
  if (assertion === null) throw new DeskRefusal(422, "The browser sent no passkey. Open the page again.")
  const fault = await takeEntrance(deps, me, assertion)
  if (fault !== null) throw new DeskRefusal(422, faultWords(fault))
  return { to: "/" }
}
