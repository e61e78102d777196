/**
 * Style of the invitation page. The light colours are those of the mark. It contains no character that the html tag escapes, so the browser
 * hashes exactly this text. Sizes are relative to the reader's settings; there is no animation.
 */
export const INVITATION_STYLE = `
:root { color-scheme: light dark; --paper: #FAF7F1; --raised: #F1ECE2; --ink: #1B1F2A; --quiet: #565A66; --line: #D9D2C5; --signal: #B3391B }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15171D; --raised: #1E2129; --ink: #ECE8E0; --quiet: #A9ABB3; --line: #353944; --signal: #FF9B7A }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; overflow-wrap: anywhere; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 system-ui, -apple-system, Segoe UI, Roboto, sans-serif }
main { max-width: 65ch; margin: 0 auto; padding: 2rem 1.25rem 4rem }
header { display: flex; align-items: center; gap: .875rem; margin-bottom: 3rem }
header img { display: block; flex: none; width: 3rem; height: 3rem; border-radius: .7rem }
header p { min-width: 0; margin: 0; line-height: 1.3 }
header strong { display: block; font-weight: 650 }
header span { color: var(--quiet); font-size: .9375rem }
h1, h2 { font-family: ui-serif, Iowan Old Style, Georgia, Cambria, serif; font-weight: 600; line-height: 1.15; text-wrap: balance }
h1 { font-size: clamp(2.125rem, 1.5rem + 3vw, 3.125rem); letter-spacing: -.018em; margin: 0 0 1.25rem }
h2 { font-size: 1.5rem; letter-spacing: -.01em; margin: 3.5rem 0 1rem }
h3 { font-size: 1.0625rem; margin: 0 0 .25rem }
p { margin: 0 0 1rem; text-wrap: pretty }
.lead { font-size: 1.1875rem; line-height: 1.55 }
.notice { margin: 2rem 0 0; padding: 1.125rem 1.25rem; border: .125rem solid var(--signal); border-radius: .375rem }
.notice p { margin: 0 }
.notice strong { display: block; margin-bottom: .25rem }
ol { list-style: none; counter-reset: call; margin: 1.5rem 0; padding: 0 }
ol li { counter-increment: call; position: relative; padding: 0 0 1.75rem 3.25rem }
ol li::before { content: counter(call); position: absolute; left: 0; top: -.1rem; width: 2.25rem; height: 2.25rem; border: .125rem solid var(--signal); border-radius: 50%; color: var(--signal); font: 600 1.0625rem/2rem ui-serif, Georgia, serif; text-align: center }
ol li p { margin: 0 0 .75rem }
ol li:last-child { padding-bottom: 0 }
code { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }
.call { display: block; padding: .625rem .875rem; background: var(--raised); border: 1px solid var(--line); border-radius: .375rem }
dl { margin: 1.5rem 0 0; border-top: 1px solid var(--line) }
dl div { padding: .875rem 0; border-bottom: 1px solid var(--line) }
dt { color: var(--signal); line-height: 1.4 }
dt code { font-size: .8125rem; letter-spacing: .02em }
dd { margin: .125rem 0 0 }
nav ul { list-style: none; margin: 1.25rem 0 0; padding: 0 }
nav li { border-top: 1px solid var(--line) }
nav li:last-child { border-bottom: 1px solid var(--line) }
nav a { display: block; min-height: 3rem; padding: .75rem 0; color: var(--ink); text-decoration: none }
nav span { font-weight: 600; text-decoration: underline .125rem var(--signal); text-underline-offset: .25rem }
nav a:hover span { color: var(--signal) }
nav small { display: block; margin-top: .125rem; color: var(--quiet); font-size: .9375rem }
:focus-visible { outline: .1875rem solid var(--signal); outline-offset: .1875rem; border-radius: .125rem }
footer { margin-top: 3.5rem; color: var(--quiet); font-size: .9375rem }
footer p { margin: 0 }
@media (min-width: 48rem) {
  main { padding-top: 4rem }
  header { margin-bottom: 4rem }
}
@media print { main { max-width: none } ol li, dl div { break-inside: avoid } }
`
