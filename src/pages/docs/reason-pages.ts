/** Reason codes: what each means in each product that gives it, and what to do about it. */

import { wayOf } from "../../case/ways.ts"
import { PUBLISHED_POLICIES, type PublishedPolicy } from "../../products/published-policies.ts"
import { dataTable } from "../data-table.ts"
import { type Html, html } from "../html.ts"
import { problemPath, reasonPath } from "../page-paths.ts"
import { wayPart } from "../parts/case-parts.ts"
import { htmlOf } from "../write-part.ts"

/** One meaning of a code in one policy. */
interface Meaning {
  readonly policy: PublishedPolicy
  readonly outcome: string
  readonly tolerance: string
  readonly remediation: string
  readonly why: string
}

const ALL_TOLERANCES = 3

function meaningsOf(code: string): Meaning[] {
  return PUBLISHED_POLICIES.flatMap((policy) => [
    ...policy.document.reasons
      .filter((row) => row.code === code)
      .map(({ outcome, tolerances, remediation, why }) => ({
        policy,
        outcome: `${outcome}: ${policy.outcomes[outcome].decision}, ${policy.outcomes[outcome].machineAction}`,
        tolerance: tolerances.length === ALL_TOLERANCES ? "any" : tolerances.join(", "),
        remediation,
        why,
      })),
    ...policy.uncharged
      .filter((row) => row.code === code)
      .map(({ decision, remediation, why }) => ({
        policy,
        outcome: `not charged: ${decision}`,
        tolerance: "any",
        remediation,
        why,
      })),
    ...policy.refusalReasons
      .filter((row) => row.code === code)
      .map(({ refusal, why }) => ({ policy, outcome: `refused: ${refusal}`, tolerance: "any", remediation: "", why })),
  ])
}

/** Every code that an answer of any policy can give, in alphabetical order. */
export function reasonCodes(): readonly string[] {
  const codes = PUBLISHED_POLICIES.flatMap(({ document, uncharged, refusalReasons }) =>
    [...document.reasons, ...uncharged, ...refusalReasons].map(({ code }) => code),
  )
  return [...new Set(codes)].toSorted()
}

export function reasonIndex(): Html {
  const rows = reasonCodes().map((code) => [
    html`<a href="${reasonPath(code)}"><code>${code}</code></a>`,
    html`${meaningsOf(code)[0]?.why ?? ""}`,
  ])
  return html`<h1>Reason codes</h1>
<p>Each answer names its reasons in <code>reason_codes</code>. The strongest outcome decides. <a href="/docs/reference/reasons">Every policy in force</a> has them in their order.</p>
${dataTable("Reason codes", ["Code", "Meaning"], rows)}`
}

/** Null for a code that no answer gives. */
export function reasonPage(code: string): Html | null {
  const meanings = meaningsOf(code)
  const [first] = meanings
  if (first === undefined) return null
  const remediations = [...new Set(meanings.map(({ remediation }) => remediation))].filter((name) => name !== "")
  const rows = meanings.map(({ policy, outcome, tolerance, remediation, why }) => [
    html`<code>${policy.product}</code><br><span class="quiet long">${policy.document.id} ${policy.document.version}${policy.isInForce ? "" : ", no longer in force"}</span>`,
    html`${outcome}`,
    html`${tolerance}`,
    html`${remediation === "" ? "none" : remediation}`,
    html`${why}`,
  ])
  return html`<p class="quiet">Reason code</p>
<h1><code>${code}</code></h1>
<p class="lead">${first.why}</p>
<h2>What to do</h2>
${
  remediations.length === 0
    ? html`<p>Nothing: the answer states it, and it asks for no action.</p>`
    : html`<dl>${remediations.map((name) => htmlOf(wayPart(wayOf(name))))}</dl>
<p>An answer names the action in <code>remediation</code>. The answer that you hold stays as it is.</p>`
}
<h2>In each product</h2>
${dataTable("Meaning in each product", ["Product and policy", "Outcome", "Tolerance", "Remediation", "Why"], rows)}
<p><a href="/docs/reasons">All reason codes</a>, <a href="/docs/reference/errors">error codes</a>, <a href="${problemPath("NOT_READY")}">when nothing is sold</a></p>`
}
