/** The frame of every page of the desk. Its pages work without a script, up to the step that needs a passkey. */
import { type Html, html, inlineScript } from "../pages/html.ts"
import { PAGE_STYLE } from "../pages/style.ts"
import { MARK_SVG } from "../products/agent-id/mark.ts"
import type { BreakGlass } from "../store/review/review-numbers.ts"
import { tokenField } from "./parts.ts"
import type { DeskPage, Reviewing } from "./visit.ts"

interface FrameTerms {
  readonly issuerName: string
  readonly environment: "live" | "test"
  /** Null for a page without a session. */
  readonly me: Reviewing | null
  /** Keys that were admitted without approvals within the last days. */
  readonly breakGlass: readonly BreakGlass[]
}

const MARK_DATA = `data:image/svg+xml;base64,${btoa(MARK_SVG)}`

const LINKS = [
  { path: "/", title: "Queue" },
  { path: "/reviewers", title: "Reviewers" },
] as const

export function deskFrame({ title, main, script, section }: DeskPage, terms: FrameTerms): string {
  const { issuerName, environment, me, breakGlass } = terms
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Review desk · ${issuerName}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${MARK_DATA}">
<style>${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="site">
<a class="home" href="/"><img src="${MARK_DATA}" width="36" height="36" alt=""><span>Review desk</span></a>
${me?.state === "REVIEWER" ? navigation(section) : html``}
</header>
<main id="main">
<p class="quiet">${issuerName}, ${environment === "live" ? "live environment" : "test environment: no answer here is about real money"}</p>
${breakGlass.map(brokenGlass)}
${main}
</main>
<footer class="end">
${me === null ? html`` : ending(me)}
</footer>
${script === undefined ? html`` : inlineScript(script)}</body>
</html>
`.text
}

function navigation(section: DeskPage["section"]): Html {
  return html`<nav aria-label="Desk"><ul>${LINKS.map(({ path, title }) =>
    section === path
      ? html`<li><a href="${path}" aria-current="page">${title}</a></li>`
      : html`<li><a href="${path}">${title}</a></li>`,
  )}</ul></nav>`
}

function ending(me: Reviewing): Html {
  return html`<form method="post" action="/leave">${tokenField(me, "/leave")}
<p>You are <bdi>${me.name}</bdi>. <button type="submit">Leave</button></p></form>`
}

function brokenGlass({ name, why, since }: BreakGlass): Html {
  return html`<div class="notice" role="note"><p><strong>A passkey of <bdi>${name}</bdi> was admitted without approvals on ${since.slice(0, 10)}.</strong> The operator says why: <bdi>${why}</bdi></p></div>
`
}
