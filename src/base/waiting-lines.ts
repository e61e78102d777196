/** Lines that are written together at this length, independent of `later`. */
const WAITING_CHARACTERS_MAX = 64 * 1024

interface WaitingLines {
  readonly add: (line: string) => void
  /** Writes what waits. */
  readonly flush: () => void
}

/** Collects lines until `later` calls back, because a write for each line costs more than a cached answer. Without `later` none waits. */
export function waitingLines(write: (lines: string) => void, later?: (flush: () => void) => void): WaitingLines {
  let waiting = ""
  let isArmed = false
  const flush = () => {
    isArmed = false
    if (waiting === "") return
    const lines = waiting
    waiting = ""
    write(lines)
  }
  const add = (line: string) => {
    waiting += line
    if (later === undefined || waiting.length > WAITING_CHARACTERS_MAX) flush()
    else if (!isArmed) {
      isArmed = true
      later(flush)
    }
  }
  return { add, flush }
}
