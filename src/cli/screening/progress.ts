import { SECOND } from "../../core/time.ts"
import type { Input } from "../command.ts"

export interface ScreenProgress {
  /** Adds the number of names that were screened and written. */
  add(names: number): void
  count(): number
  /** Ends the progress and keeps the last line. */
  end(): void
}

export interface ProgressParts {
  readonly terminal: Pick<Input, "err" | "isWatched">
  /** Milliseconds. */
  readonly now: () => number
  /** Share of the file that is read, 0 to 1; null if its length is unknown. */
  readonly share: () => number | null
}

const REDRAW_EVERY_MS = 250
const START_OF_LINE = "\r\u001b[2K"

/** Redraws one line on a terminal. Without a terminal it only counts. */
export function screenProgress({ terminal, now, share }: ProgressParts): ScreenProgress {
  const startedAt = now()
  let drawnAt: number | null = null
  let count = 0
  const draw = () => {
    drawnAt = now()
    const seconds = Math.max(1, drawnAt - startedAt) / SECOND
    const read = share()
    const percent = read === null ? "" : `${Math.floor(100 * read)} %  `
    terminal.err(`${START_OF_LINE}${percent}${count} names  ${Math.round(count / seconds)} a second`)
  }
  return {
    add(names) {
      count += names
      if (terminal.isWatched && now() - (drawnAt ?? startedAt) >= REDRAW_EVERY_MS) draw()
    },
    count: () => count,
    end() {
      if (!terminal.isWatched) return
      draw()
      terminal.err("\n")
    },
  }
}
