/** A page as one file that needs no server: no navigation, no icon, the style within. */
import { type Html, html } from "./html.ts"
import { contentPolicy } from "./page-headers.ts"
import { PAGE_STYLE } from "./style.ts"

/** The policy stands in the page, because a file has no header fields. It allows the style and nothing else. */
export function singleFile(title: string, main: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${contentPolicy({ script: null, isHeader: false })}">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>${PAGE_STYLE}</style>
</head>
<body>
<main id="main">
${main}
</main>
</body>
</html>
`.text
}
