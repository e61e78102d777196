// The form of what a command tells a person: a word, then what it says, in two columns.

/** A row without a word goes on under the one before. */
export type Row = readonly [word: string, text: string]

const WORD_WIDTH = 13

/** Blocks are separated by an empty line; an empty block is left out. */
export function rowsText(...blocks: readonly (readonly Row[])[]): string {
  return blocks
    .filter((rows) => rows.length > 0)
    .map((rows) => rows.map(([word, text]) => `${word.padEnd(WORD_WIDTH)}${text}`.trimEnd()).join("\n"))
    .join("\n\n")
    .concat("\n")
}

/** Pads the first column, so that the second one begins in one place. */
export function inColumns(rows: readonly (readonly [left: string, right: string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`)
}

/** Pads every column but the last one. The first row decides how many columns there are. */
export function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

/** Names by their state: `A, B: missing; C: stale`. */
export function byState(names: readonly (readonly [name: string, state: string])[]): string {
  const groups = Map.groupBy(names, ([, state]) => state)
  return [...groups].map(([state, group]) => `${group.map(([name]) => name).join(", ")}: ${state}`).join("; ")
}

/** One word of a command that a person copies into a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A flag with its value, to copy into a shell. A value that begins with a hyphen would be read as another flag. */
export function shellFlag(name: string, value: string): string {
  return `--${name}${value.startsWith("-") ? "=" : " "}${shellWord(value)}`
}
