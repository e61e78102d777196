/** Pieces of Markdown that the printed pages share. */
type Cell = string | number

/** A table with one line a row. A bar inside a cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")
}

/** Inline code; nothing for an empty text. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text}\``
}

/** A page: its title, the way to print it again, and its parts with a blank line between them. */
export function page(title: string, ...parts: readonly string[]): string {
  return [`# ${title}`, "Printed from the code by `bun run docs`; edit the code, not this page.", ...parts]
    .join("\n\n")
    .concat("\n")
}
