/** The frame of every page: head, navigation, content, ending. Each page is complete without style, script and images. */
import { type Html, html } from "./html.ts"
import { MARK_PATH, type PageContent, SITE_LINKS, type Site } from "./site.ts"
import { PAGE_STYLE } from "./style.ts"

/** Returns the function that frames the pages of one server. */
export function pageLayout({ issuerName }: Site): (content: PageContent) => string {
  const ending = html`
</main>
<footer class="end">
<p>${issuerName} · No page sets a cookie, counts its readers or loads anything from another host.</p>
</footer>
</body>
</html>
`
  return (content) =>
    html`${head(`${content.title} · ${issuerName}`, content)}
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="site">
<a class="home" href="/"><img src="${MARK_PATH}" width="36" height="36" alt=""><span>${issuerName}</span></a>
<nav aria-label="Pages"><ul>${SITE_LINKS.map((link) => navigationEntry(link, content.section))}</ul></nav>
</header>
<main id="main">
${content.main}${ending}`.text
}

function navigationEntry({ path, title }: (typeof SITE_LINKS)[number], section: string | undefined): Html {
  return section === path
    ? html`<li><a href="${path}" aria-current="page">${title}</a></li>`
    : html`<li><a href="${path}">${title}</a></li>`
}

function head(title: string, { description, json }: PageContent): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${
  description === undefined
    ? html``
    : html`<meta name="description" content="${description}">
`
}<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${MARK_PATH}">
<link rel="ai-catalog" type="application/ai-catalog+json" href="/.well-known/ai-catalog.json">
${
  json === undefined
    ? html``
    : html`<link rel="alternate" type="application/json" title="${json.title}" href="${json.path}">
`
}<style>${PAGE_STYLE}</style>
</head>`
}
