/** What the reviewer signs, in words, with the first characters of its digest. */

import { type Html, html } from "../../pages/html.ts"
import type { Composed } from "../../review/purposes.ts"
import type { Suppression } from "../../sources/screening/suppress.ts"
import type { StoredRecord } from "../../store/review/review-records.ts"
import { DESK_SCRIPT } from "../desk-script.ts"
import type { Lifted } from "../lifted.ts"
import { nameOf, shortDigest, writtenText } from "../parts.ts"
import { passkeyForm } from "../passkey-form.ts"
import type { DeskPage, Reviewing } from "../visit.ts"
import { inForcePart } from "./in-force-part.ts"
import { liftedParts } from "./lifted-parts.ts"
import { proposalPart } from "./proposal-part.ts"
import { type Known, sentenceOf } from "./sentence.ts"

interface SignTerms {
  readonly me: Reviewing
  readonly act: Composed
  /** What the record answers; null if it answers nothing. */
  readonly proposal: StoredRecord | null
  /** Of the record. */
  readonly digest: string
  /** Null if the record judges no entry. */
  readonly lifted: Lifted | null
  /** The judgement that stays in force, although the record denies or doubts it; null if there is none. */
  readonly contradicted: Suppression | null
  /** Of the assertion. */
  readonly options: object
  readonly known: Known
}

export function signPage({ me, act, proposal, digest, lifted, contradicted, options, known }: SignTerms): DeskPage {
  const form = { action: "/sign", kind: "get" as const, options, label: "Sign with your passkey" }
  const isJudgement = act.record.kind === "OTHER_PARTY" || act.record.kind === "APPROVE"
  return {
    title: "Sign",
    script: DESK_SCRIPT,
    main: html`<h1>This is what you sign</h1>
<p class="lead">${sentenceOf(act, known)}</p>
${contradicted === null ? html`` : inForcePart(contradicted)}
${reasonOf(act)}
${proposal === null ? html`` : proposalPart(proposal, known)}
<p>Your authenticator shows no text. The record that it signs begins with <code>${shortDigest(digest)}</code>, and so does the receipt.</p>
${passkeyForm(me, form)}
${lifted === null || !isJudgement ? html`` : liftedParts(lifted)}`,
  }
}

function reasonOf({ reason, subject }: Composed): Html {
  const glass = subject?.kind === "ENROL" && subject.break_glass !== null ? subject.break_glass : null
  return html`${
    reason === null
      ? html``
      : html`<h2>Because</h2>
${writtenText(reason.text)}`
  }${
    glass === null
      ? html``
      : html`<p class="notice"><strong>The operator admits this passkey without approvals.</strong> ${nameOf(glass, 1_000)}</p>`
  }`
}
