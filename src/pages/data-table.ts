import { type Html, html } from "./html.ts"

/**
 * Renders a table that scrolls sideways within its own box on a narrow screen. `name` is its accessible name, because the box takes the
 * focus of a keyboard.
 */
export function dataTable(name: string, head: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="wide" role="region" aria-label="${name}" tabindex="0">
<table>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
)}</tbody>
</table>
</div>`
}
