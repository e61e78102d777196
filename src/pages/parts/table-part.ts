import { type PageElement, type PagePart, partWith } from "./page-part.ts"

/**
 * A table whose rows become blocks of label and value on a narrow screen, so that nothing scrolls sideways. Styles that change the display of a
 * table take its roles away in some browsers, so the roles are written out. The first cell of a row is its head.
 */
export function tablePart<Leaf = never>(
  name: string,
  head: readonly PagePart<Leaf>[],
  rows: readonly (readonly PagePart<Leaf>[])[],
): PageElement<Leaf> {
  const titles = partWith<Leaf>("tr", head.map(headCell), { role: "row" })
  return partWith<Leaf>(
    "table",
    [
      "\n",
      partWith<Leaf>("thead", [titles], { role: "rowgroup" }),
      "\n",
      partWith<Leaf>("tbody", ["\n", ...rows.flatMap((cells) => [rowOf(head, cells), "\n"])], { role: "rowgroup" }),
      "\n",
    ],
    { class: head.length >= WIDE_COLUMNS ? "stacked many" : "stacked", role: "table", "aria-label": name },
  )
}

function rowOf<Leaf>(head: readonly PagePart<Leaf>[], [first = "", ...rest]: readonly PagePart<Leaf>[]) {
  const cells = rest.map((cell, index) =>
    partWith<Leaf>("td", [...label(head, index + 1), partWith<Leaf>("span", [cell])], { role: "cell" }),
  )
  return partWith<Leaf>("tr", [partWith<Leaf>("th", [first], { scope: "row", role: "rowheader" }), ...cells], {
    role: "row",
  })
}

/** A column without a title has no head. */
function headCell<Leaf>(title: PagePart<Leaf>): PageElement<Leaf> {
  return title === ""
    ? partWith<Leaf>("td", [], { role: "cell" })
    : partWith<Leaf>("th", [title], { scope: "col", role: "columnheader" })
}

/** The head of a cell, seen only where the rows are blocks. A row of two cells needs none. */
function label<Leaf>(head: readonly PagePart<Leaf>[], column: number): PageElement<Leaf>[] {
  return head.length === 2
    ? []
    : [partWith<Leaf>("span", [head[column] ?? ""], { class: "label", "aria-hidden": "true" })]
}

/** From this number of columns on a table needs a wide screen. */
const WIDE_COLUMNS = 5
