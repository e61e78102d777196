import { TEXT_WIDTH } from "../../offline/words/verdict-text.ts"

const WIDTH_MIN = 40

/** Columns of the reader's terminal, at least 40; or a fixed number if the environment does not state them. */
export function textWidth({ COLUMNS }: Readonly<Record<string, string | undefined>>): number {
  const columns = Number(COLUMNS)
  return Number.isInteger(columns) && columns > 0 ? Math.max(WIDTH_MIN, columns) : TEXT_WIDTH
}
