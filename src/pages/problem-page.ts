/** Renders one entry of the error catalogue for people. */
import type { ProblemDescription } from "../../schemas/discovery/problem.ts"
import { type Html, html } from "./html.ts"

export function problemPage(row: ProblemDescription): Html {
  return html`<h1>${row.title}</h1>
<dl>
<div><dt>Code</dt><dd><code>${row.code}</code></dd></div>
<div><dt>HTTP status</dt><dd>${String(row.status)}</dd></div>
<div><dt>What a machine does next</dt><dd><code>${row.next_machine_action}</code></dd></div>
<div><dt>Retry the same request</dt><dd>${row.retryable ? "Yes, after the time in Retry-After." : "No. It would be refused again."}</dd></div>
<div><dt>Charge</dt><dd>An answer with this code charges nothing.</dd></div>
</dl>
<p>The answer that named this address also says in <code>detail</code> what happened, and in <code>errors</code> where and what was expected.</p>
<p><a href="/docs/reference/errors">All error codes</a></p>`
}
