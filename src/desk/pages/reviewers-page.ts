import { policyText } from "../../core/review/register.ts"
import { dataTable } from "../../pages/data-table.ts"
import { type Html, html } from "../../pages/html.ts"
import type { StoredRecord } from "../../store/review/review-records.ts"
import type { Reviewer, ReviewerKey } from "../../store/review/review-register.ts"
import { nameOf, textArea, timeOf, tokenField } from "../parts.ts"
import type { ReviewerNames } from "../reviewer-names.ts"
import type { DeskPage, Reviewing } from "../visit.ts"
import { recordTable } from "./record-table.ts"
import { ALGORITHM_WORDS, shortKey } from "./record-words.ts"

interface ReviewersTerms {
  readonly me: Reviewing
  readonly reviewers: readonly Reviewer[]
  readonly keys: readonly ReviewerKey[]
  /** About reviewers, the newest first. */
  readonly records: readonly StoredRecord[]
}

const KEY_WORDS = { PENDING: "waits for approvals", ACTIVE: "active", REVOKED: "revoked" } as const

export function reviewersPage({ me, reviewers, keys, records }: ReviewersTerms): DeskPage {
  const names: ReviewerNames = new Map(reviewers.map(({ reviewerId, name }) => [reviewerId, name]))
  const { policy } = me.register
  const revocable = keys.filter(({ state }) => state !== "REVOKED")
  return {
    title: "Reviewers",
    section: "/reviewers",
    main: html`<h1>Reviewers</h1>
<p>The operator enters a person: <code>bizauth review add NAME</code>. The person enrols a passkey here.</p>
${dataTable(
  "Persons",
  ["Person", "Recused from", "Passkeys"],
  reviewers.map((person) => personRow(person, keys, me)),
)}
<p><a href="/enrol">Enrol another passkey of yours</a></p>
<h2>How many persons must judge</h2>
<p>Policy ${policyText(policy)}: ${String(policy.persons)} must judge, and at least ${String(policy.of)} must be able to. A laxer policy needs the approvals of the present one.</p>
${policyForm(me)}
${revocable.length === 0 ? html`` : revokeForm(me, revocable, names)}
<h2>Records about reviewers</h2>
${records.length === 0 ? html`<p>None.</p>` : recordTable(records, names)}`,
  }
}

function personRow({ reviewerId, name, recusals }: Reviewer, keys: readonly ReviewerKey[], { register }: Reviewing) {
  const own = keys.filter((key) => key.reviewerId === reviewerId)
  return [
    nameOf(name),
    recusals.length === 0 ? html`nobody` : nameOf(recusals.join(", "), 4_000),
    own.length === 0
      ? html`none`
      : html`${own.map(({ keyId, algorithm, enrolledAt }) => {
          const state = register.keys.get(keyId)?.state ?? "REVOKED"
          return html`<code>${shortKey(keyId)}</code>, ${ALGORITHM_WORDS[algorithm] ?? "unknown"}, ${KEY_WORDS[state]}, since ${timeOf(enrolledAt)} `
        })}`,
  ]
}

function policyForm(me: Reviewing): Html {
  const path = "/reviewers/policy"
  const { persons, of } = me.register.policy
  return html`<form method="post" action="${path}" aria-label="Policy">${tokenField(me, path)}
<p><label for="persons">Persons who must judge</label>
<input type="number" id="persons" name="persons" min="1" max="9" required value="${String(persons)}"></p>
<p><label for="of">Persons who must be able to judge</label>
<input type="number" id="of" name="of" min="1" max="9" required value="${String(of)}"></p>
${textArea({ name: "because", label: "Why", hint: "At most 1,000 characters.", isNeeded: true }, "policy")}
<p><button type="submit">Read what you sign</button></p></form>`
}

function revokeForm(me: Reviewing, keys: readonly ReviewerKey[], names: ReviewerNames): Html {
  const path = "/reviewers/revoke"
  return html`<h2 id="revoke">Revoke a passkey</h2>
<p>One reviewer revokes any passkey at once: it only takes rights away.</p>
<form method="post" action="${path}" aria-labelledby="revoke">${tokenField(me, path)}
<p><label for="key">Passkey</label>
<select id="key" name="key" required><option value="">choose one</option>${keys.map(({ keyId, reviewerId }) => html`<option value="${keyId}">${shortKey(keyId)} of ${names.get(reviewerId) ?? reviewerId}</option>`)}</select></p>
${textArea({ name: "because", label: "Why", hint: "At most 1,000 characters.", isNeeded: true }, "revoke")}
<p><button type="submit">Read what you sign</button></p></form>`
}
