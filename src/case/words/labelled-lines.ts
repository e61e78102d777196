import { plainText } from "../../core/text/plain-text.ts"
import { wrapped } from "../../core/text/wrapped.ts"
import type { Labelled } from "../members.ts"

const LABEL_WIDTH_MAX = 34

/** Rows of two columns, `width` characters wide at most where words permit. `charactersMax`: of one value. */
export function labelledLines(rows: readonly Labelled[], width: number, charactersMax?: number): string[] {
  const column = Math.min(LABEL_WIDTH_MAX, Math.max(...rows.map(({ label }) => label.length)))
  return rows.flatMap(({ label, value }) => {
    const name = plainText(label, 80)
    const [first = "", ...more] = wrapped(plainText(value, charactersMax), width - column - 4, "")
    return [`  ${name.padEnd(column)}  ${first}`, ...more.map((line) => `  ${" ".repeat(column)}  ${line}`)]
  })
}
