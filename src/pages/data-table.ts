import { Html } from "./html.ts"
import { tablePart } from "./parts/table-part.ts"
import { htmlOf } from "./write-part.ts"

/** A table of a page. A head without text is the head of no column. */
export function dataTable(name: string, head: readonly (string | Html)[], rows: readonly (readonly Html[])[]): Html {
  const titles = head.map((title) => (title instanceof Html && title.text === "" ? "" : title))
  return htmlOf(tablePart(name, titles, rows))
}
