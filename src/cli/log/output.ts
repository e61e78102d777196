/** Time that an ending server waits for a reader of its last lines, in milliseconds. */
export const LAST_LINES_MS = 1000

/** Maximum unread characters: about 5,000 request lines. Later lines are dropped. */
export const WAITING_CHARACTERS_MAX = 1024 * 1024

/**
 * The log output of a server. Lines that a closed, full or unread stream does not take are dropped and counted, so that logging neither
 * ends the service nor fills its memory. The next successful write begins with the count.
 */
export class LogOutput {
  private waiting = 0
  private dropped = 0
  /** A write failed, perhaps in the middle of a line. */
  private isLineCut = false
  private whenEmpty: (() => void)[] = []

  /** `take` writes whole lines and rejects if it cannot. `droppedLine` reports the number of missing lines. */
  constructor(
    private readonly take: (lines: string) => Promise<void>,
    private readonly droppedLine: (lines: number) => string,
  ) {}

  write(lines: string): void {
    if (this.waiting + lines.length > WAITING_CHARACTERS_MAX) this.dropped += countLines(lines)
    else this.give(lines)
  }

  /** Returns true once no text is unread; false if some still is after `milliseconds`. */
  async settled(milliseconds: number): Promise<boolean> {
    if (this.waiting === 0) return true
    let timer: ReturnType<typeof setTimeout> | undefined
    const empty = new Promise<void>((resolve) => this.whenEmpty.push(resolve))
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds)
    })
    await Promise.race([empty, late])
    clearTimeout(timer)
    return this.waiting === 0
  }

  private give(lines: string): void {
    const missing = this.dropped
    const text = missing === 0 ? lines : (this.isLineCut ? "\n" : "") + this.droppedLine(missing) + lines
    this.dropped = 0
    this.isLineCut = false
    this.waiting += text.length
    this.take(text).then(
      () => {
        this.taken(text)
        if (this.dropped > 0) this.give("")
      },
      () => {
        this.dropped += missing + countLines(lines)
        this.isLineCut = true
        this.taken(text)
      },
    )
  }

  private taken(text: string): void {
    this.waiting -= text.length
    if (this.waiting > 0) return
    for (const resolve of this.whenEmpty.splice(0)) resolve()
  }
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1
  return count
}
