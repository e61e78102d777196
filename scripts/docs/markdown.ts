/** Markdown elements that the printed pages share. */
type Cell = string | number

/** Returns a table with one line for each row. A bar inside a cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")
}

/** Returns inline code; empty for an empty text. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text}\``
}

/** Returns a page: its title, the command that prints it, and its parts with a blank line between them. */
export function page(title: string, ...parts: readonly string[]): string {
  return [`# ${title}`, "Printed from the code by `bun run docs`; edit the code, not this page.", ...parts]
    .join("\n\n")
    .concat("\n")
}
