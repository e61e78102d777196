import { SECOND } from "../../core/time.ts"
import type { OnProgress } from "../../sources/registers/import-register.ts"
import type { Input } from "../command.ts"

const REDRAW_EVERY_MS = 250
const START_OF_LINE = "\r\u001b[2K"

export interface ImportProgress {
  readonly tell: OnProgress
  /** Clears the line, because the report follows. */
  end(): void
}

/** Redraws one line on a terminal; prints nothing elsewhere. `now` returns milliseconds. */
export function importProgress(terminal: Pick<Input, "err" | "drawsLines">, now: () => number): ImportProgress {
  const startedAt = now()
  let drawnAt = Number.NEGATIVE_INFINITY
  let drawnPhase = ""
  return {
    tell(phase, rows, share) {
      if (!terminal.drawsLines || (phase === drawnPhase && now() - drawnAt < REDRAW_EVERY_MS)) return
      drawnAt = now()
      drawnPhase = phase
      const percent = share === null ? "" : `  ${Math.floor(100 * share)} %`
      const count = rows === 0 ? "" : `  ${rows} rows`
      terminal.err(`${START_OF_LINE}${phase}${percent}${count}  ${Math.round((drawnAt - startedAt) / SECOND)} s`)
    },
    end() {
      if (drawnPhase !== "") terminal.err(START_OF_LINE)
    },
  }
}
