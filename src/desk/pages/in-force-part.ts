import { type Html, html } from "../../pages/html.ts"
import type { Suppression } from "../../sources/screening/suppress.ts"
import { timeOf } from "../parts.ts"

/** That a judgement stays in force whatever a reviewer records, and who ends it. */
export function inForcePart({ suppressionId, sourceId, entryId, expiresAt }: Suppression): Html {
  return html`<p class="notice"><strong>Judgement <code>${suppressionId}</code> is in force.</strong> It lifts the hit on ${sourceId} ${entryId} until ${timeOf(expiresAt)}, and no later record about the case ends it. The operator ends it: <code>bizauth suppressions revoke ${suppressionId} --reason TEXT --author NAME</code></p>`
}
