/** On a screen narrower than `width` the rows of a table become blocks of label and value. */
const blocksBelow = (width: string, table: string) => `@media not all and (min-width: ${width}) {
  ${table}, ${table} :is(tbody, tr, td, tbody th) { display: block }
  ${table} thead { position: absolute; left: -100vw }
  ${table} tr { padding: .5rem 0; border-bottom: 1px solid var(--line) }
  ${table} :is(td, tbody th) { padding: .125rem 0; border: 0 }
  ${table} .label { display: inline-block; min-width: 6rem; color: var(--quiet) }
}`

/**
 * The one style sheet of all pages. The light colours are those of the mark. It contains no character that the html tag escapes, so the
 * browser hashes exactly this text. Sizes are relative to the reader's settings; there is no animation.
 */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --paper: #FAF7F1; --raised: #F1ECE2; --ink: #1B1F2A; --quiet: #565A66; --line: #D9D2C5; --signal: #B3391B; --good: #22623A;
  --pay: #1F5F38; --pay-ground: #E3EFE4; --pay-if: #5D4A00; --pay-if-ground: #F6EBC9; --hold: #7D4100; --hold-ground: #FBE6CF; --stop: #9B1C1C; --stop-ground: #F8DEDA; --none: #4A4E5A; --none-ground: #ECE8E0 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15171D; --raised: #1E2129; --ink: #ECE8E0; --quiet: #A9ABB3; --line: #353944; --signal: #FF9B7A; --good: #7FD09A;
    --pay: #8FD9A8; --pay-ground: #15291C; --pay-if: #E6CF7A; --pay-if-ground: #2B2610; --hold: #FFB86B; --hold-ground: #33220E; --stop: #FF9C94; --stop-ground: #3A1714; --none: #B9BBC4; --none-ground: #23262E }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; overflow-wrap: anywhere; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 system-ui, -apple-system, Segoe UI, Roboto, sans-serif }
.site, main, .end { max-width: 72ch; margin: 0 auto; padding: 0 1.25rem }
.site { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.5rem; padding-top: 1.5rem }
.site nav { margin-left: auto }
.site ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; list-style: none; margin: 0; padding: 0 }
.site a { display: flex; align-items: center; gap: .75rem; min-height: 2.75rem; color: var(--ink) }
.site img { display: block; flex: none; width: 2.25rem; height: 2.25rem; border-radius: .5rem }
.home { min-width: 0; font-weight: 650; text-decoration: none }
.skip { position: absolute; left: -100vw }
.skip:focus { left: .5rem; top: .5rem; padding: .75rem; background: var(--paper) }
main { padding-top: 2.5rem; padding-bottom: 2rem }
h1, h2 { font-family: ui-serif, Iowan Old Style, Georgia, Cambria, serif; font-weight: 600; line-height: 1.15; text-wrap: balance }
h1, .band h2 { font-size: clamp(1.875rem, 1.5rem + 2vw, 2.75rem); letter-spacing: -.018em; margin: 0 0 1.25rem }
h2 { font-size: 1.5rem; letter-spacing: -.01em; margin: 3rem 0 1rem }
h3 { font-size: 1.0625rem; margin: 1.5rem 0 .25rem }
p { margin: 0 0 1rem; text-wrap: pretty }
a { color: var(--ink); text-decoration-line: underline; text-decoration-color: var(--signal); text-decoration-thickness: .09em; text-underline-offset: .2em }
a:hover { color: var(--signal) }
.lead { font-size: 1.1875rem; line-height: 1.55 }
.quiet { color: var(--quiet) }
.notice { margin: 2rem 0; padding: 1.125rem 1.25rem; border: .125rem solid var(--signal); border-radius: .375rem }
.notice p { margin: 0 }
.notice p + p { margin-top: .5rem }
.notice strong { display: block; margin-bottom: .25rem }
.bad { color: var(--signal); font-weight: 600 }
.good { color: var(--good); font-weight: 600 }
.band { margin: 0 0 1.5rem; padding: 1.25rem 1.5rem; border-left: .5rem solid; border-radius: .375rem }
.band :is(h1, h2) { margin: 0 0 .5rem }
.band p { margin: 0; color: inherit }
.band p + p { margin-top: .25rem }
.pay { color: var(--pay); background: var(--pay-ground) }
.pay-if { color: var(--pay-if); background: var(--pay-if-ground) }
.hold { color: var(--hold); background: var(--hold-ground) }
.stop { color: var(--stop); background: var(--stop-ground) }
.none { color: var(--none); background: var(--none-ground) }
.steps { list-style: none; counter-reset: call; margin: 1.5rem 0; padding: 0 }
.steps li { counter-increment: call; position: relative; padding: 0 0 1.75rem 3.25rem }
.steps li::before { content: counter(call); position: absolute; left: 0; top: -.1rem; width: 2.25rem; height: 2.25rem; border: .125rem solid var(--signal); border-radius: 50%; color: var(--signal); font: 600 1.0625rem/2rem ui-serif, Georgia, serif; text-align: center }
.steps li p { margin: 0 0 .75rem }
.steps h3 { margin-top: 0 }
.steps li:last-child { padding-bottom: 0 }
code, pre, textarea { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
code { overflow-wrap: anywhere }
textarea { font-size: 1rem }
.call, pre { padding: .625rem .875rem; background: var(--raised); border: 1px solid var(--line); border-radius: .375rem }
.call { display: block }
pre { margin: 0 0 1rem; overflow-x: auto }
pre code { overflow-wrap: normal; white-space: pre }
fieldset { min-width: 0; margin: 0 0 1.5rem; padding: 0; border: 0 }
legend, label, summary { font-weight: 600 }
legend { padding: 0; font-size: 1.0625rem }
fieldset p { margin: .25rem 0 .5rem }
summary { padding: .5rem 0; cursor: pointer }
input, select, textarea, button { max-width: 100%; color: inherit; accent-color: var(--signal) }
input, select, button { font: inherit }
input[type=text], input[type=file], select, textarea { display: block; width: 100%; margin: .25rem 0; padding: .5rem .625rem; background: var(--raised); border: 1px solid var(--quiet); border-radius: .375rem }
input[type=radio], input[type=checkbox] { width: 1.125rem; height: 1.125rem; vertical-align: -.125rem }
::placeholder { color: var(--quiet); opacity: 1 }
button { min-height: 2.75rem; margin-right: .75rem; padding: 0 1.25rem; background: var(--raised); border: 1px solid var(--quiet); border-radius: .375rem; font-weight: 600; cursor: pointer }
button[type=submit] { background: var(--ink); color: var(--paper); border-color: var(--ink) }
[hidden] { display: none }
blockquote { margin: 0 0 1rem; padding-left: 1rem; border-left: .1875rem solid var(--line) }
hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0 }
dl { margin: 1.5rem 0 0; border-top: 1px solid var(--line) }
dl div { padding: .875rem 0; border-bottom: 1px solid var(--line) }
dt { color: var(--signal); line-height: 1.4 }
dt code { font-size: .8125rem; letter-spacing: .02em }
dd { margin: .125rem 0 0 }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; overflow-wrap: normal }
th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; min-width: 5rem }
th { font-weight: 600 }
td code, td a, .long { overflow-wrap: anywhere }
.stacked { margin: 0 0 1.5rem }
.stacked td, .stacked th { min-width: 0 }
.label { display: none }
.links { list-style: none; margin: 1.25rem 0 0; padding: 0 }
.links li { border-top: 1px solid var(--line) }
.links li:last-child { border-bottom: 1px solid var(--line) }
.links a { display: block; min-height: 3rem; padding: .75rem 0; text-decoration: none }
.links span { font-weight: 600; text-decoration: underline .125rem var(--signal); text-underline-offset: .25rem }
.links small { display: block; margin-top: .125rem; color: var(--quiet); font-size: .9375rem }
:focus-visible { outline: .1875rem solid var(--signal); outline-offset: .1875rem; border-radius: .125rem }
.end { padding-top: 1.5rem; padding-bottom: 3rem; color: var(--quiet); font-size: .9375rem }
.end a { color: inherit }
.end p { margin: 0 }
main:has(.many) { max-width: 80rem }
main:has(.many) :is(form, p, ul, ol, dl, pre, .notice) { max-width: 72ch }
${blocksBelow("48rem", ".stacked")}
${blocksBelow("72rem", ".many")}
@media (min-width: 48rem) {
  main { padding-top: 3.5rem }
}
@media print { .site nav, .skip { display: none } .site, main, .end { max-width: none } .steps li, dl div, tr { break-inside: avoid } pre, pre code { white-space: pre-wrap; overflow-wrap: anywhere } button { display: none } }
`
