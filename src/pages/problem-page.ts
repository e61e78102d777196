/** Renders one entry of the error catalogue for people. */
import type { ProblemDescription } from "../../schemas/discovery/problem.ts"
import { html } from "./html.ts"

export const PROBLEM_STYLE =
  ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem}dt{font-weight:600}dd{margin:0 0 .75rem}code{overflow-wrap:anywhere}"

export function problemPage(row: ProblemDescription): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${row.code}: ${row.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="alternate" type="application/json" href="${row.type}">
<style>${PROBLEM_STYLE}</style>
</head>
<body>
<main>
<h1>${row.title}</h1>
<dl>
<dt>Code</dt><dd><code>${row.code}</code></dd>
<dt>HTTP status</dt><dd>${String(row.status)}</dd>
<dt>What a machine does next</dt><dd><code>${row.next_machine_action}</code></dd>
<dt>Retry the same request</dt><dd>${row.retryable ? "Yes, after the time in Retry-After." : "No. It would be refused again."}</dd>
<dt>Charge</dt><dd>An answer with this code charges nothing.</dd>
</dl>
<p>The answer that named this address also says in <code>detail</code> what happened, and in <code>errors</code> where and what was expected.</p>
</main>
</body>
</html>
`.text
}
