/** The frame of every page: head, navigation, content, ending. Each page can be read without style, script and images. */
import { type Html, html, inlineScript } from "./html.ts"
import { contentPolicy } from "./page-headers.ts"
import { MARK_PATH, type PageContent, SITE_LINKS, type Site, type SiteLink } from "./site.ts"
import { PAGE_STYLE } from "./style.ts"

/** Returns the function that frames the pages of one server. */
export function pageLayout({ issuerName, baseUrl }: Site): (content: PageContent) => string {
  const footer = html`
</main>
<footer class="end">
<p>${issuerName} · No page sets a cookie, counts its readers or loads anything from another host.</p>
</footer>
`
  return (content) => {
    const { section, file } = content
    // In a saved file a path has no server to belong to.
    const origin = file ? baseUrl : ""
    return html`${head(`${content.title} · ${issuerName}`, content)}
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="site">
<a class="home" href="${origin}/"><img src="${file?.mark ?? MARK_PATH}" width="36" height="36" alt=""><span>${issuerName}</span></a>
<nav aria-label="Pages"><ul>${SITE_LINKS.map((link) => navigationEntry(link, origin, section))}</ul></nav>
</header>
<main id="main">
${content.main}${footer}${file ? inlineScript(file.script) : html``}</body>
</html>
`.text
  }
}

function navigationEntry({ path, title }: SiteLink, origin: string, section: string | undefined): Html {
  return section === path
    ? html`<li><a href="${origin}${path}" aria-current="page">${title}</a></li>`
    : html`<li><a href="${origin}${path}">${title}</a></li>`
}

function head(title: string, { description, json, file }: PageContent): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${
  file === undefined
    ? html``
    : html`<meta http-equiv="content-security-policy" content="${contentPolicy({ script: file.script, isHeader: false })}">
`
}<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${
  description === undefined
    ? html``
    : html`<meta name="description" content="${description}">
`
}<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${file?.mark ?? MARK_PATH}">
${
  file === undefined
    ? html`<link rel="ai-catalog" type="application/ai-catalog+json" href="/.well-known/ai-catalog.json">
`
    : html``
}${
  json === undefined
    ? html``
    : html`<link rel="alternate" type="application/json" title="${json.title}" href="${json.path}">
`
}<style>${PAGE_STYLE}</style>
</head>`
}
