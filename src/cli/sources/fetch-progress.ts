import type { Input } from "../command.ts"

export interface FetchProgress {
  begin(sourceId: string): void
  /** `total` is null if the publisher states no length. */
  readonly show: (name: string, bytes: number, total: number | null) => void
  /** Clears the line; may be called again. */
  end(): void
}

const REDRAW_EVERY_MS = 250
const START_OF_LINE = "\r\u001b[2K"
const MEGABYTE = 1024 * 1024

/** Redraws one line on a terminal during a download. Without a terminal it prints nothing. */
export function fetchProgress(
  { err, drawsLines }: Pick<Input, "err" | "drawsLines">,
  now: () => number,
): FetchProgress {
  let source = ""
  let drawnAt: number | null = null
  return {
    begin(sourceId) {
      source = sourceId
    },
    show(name, bytes, total) {
      if (!drawsLines || (drawnAt !== null && now() - drawnAt < REDRAW_EVERY_MS)) return
      drawnAt = now()
      const share = total === null || total === 0 ? "" : `${Math.floor((100 * bytes) / total)} %  `
      err(`${START_OF_LINE}${share}${source}  ${name}  ${(bytes / MEGABYTE).toFixed(1)} MB`)
    },
    end() {
      if (drawnAt === null) return
      drawnAt = null
      err(START_OF_LINE)
    },
  }
}
