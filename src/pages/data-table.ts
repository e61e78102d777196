import { type Html, html } from "./html.ts"

/**
 * Renders a table whose rows become blocks of label and value on a narrow screen, so that nothing scrolls sideways. Styles that change the
 * display of a table take its roles away in some browsers, so the roles are written out. The first cell of a row is its head.
 */
export function dataTable(name: string, head: readonly (string | Html)[], rows: readonly (readonly Html[])[]): Html {
  const isWide = head.length >= WIDE_COLUMNS
  return html`<table class="${isWide ? "stacked many" : "stacked"}" role="table" aria-label="${name}">
<thead role="rowgroup"><tr role="row">${head.map(headCell)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ([first, ...rest]) => html`<tr role="row"><th scope="row" role="rowheader">${first ?? html``}</th>${rest.map(
    (cell, index) => html`<td role="cell">${label(head, index + 1)}<span>${cell}</span></td>`,
  )}</tr>
`,
)}</tbody>
</table>`
}

/** A column without a title has no head. */
function headCell(title: string | Html): Html {
  const isEmpty = (typeof title === "string" ? title : title.text) === ""
  return isEmpty ? html`<td role="cell"></td>` : html`<th scope="col" role="columnheader">${title}</th>`
}

/** The head of a cell, seen only where the rows are blocks. A row of two cells needs none. */
function label(head: readonly (string | Html)[], column: number): Html {
  return head.length === 2 ? html`` : html`<span class="label" aria-hidden="true">${head[column] ?? ""}</span>`
}

/** From this number of columns on a table needs a wide screen. */
const WIDE_COLUMNS = 5
