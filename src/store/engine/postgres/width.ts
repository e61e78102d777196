/**
 * How many transactions run at the same time. Conflicts narrow it, so that a storm ends as one transaction after the other, which cannot
 * conflict within a process. Without it 32 callers of one row are slower than one caller.
 */
const FIRST = 4
export const WIDTH_MAX = 16
const NARROWED = 0.7
const WIDENED = 0.1

export class Width {
  private width = FIRST
  private running = 0

  get mayBegin(): boolean {
    return this.running < this.most
  }

  get most(): number {
    return Math.floor(this.width)
  }

  begin(): void {
    this.running++
  }

  end(): void {
    this.running--
  }

  conflicted(): void {
    this.width = Math.max(1, this.width * NARROWED)
  }

  /** Widens by a tenth once as many transactions have succeeded as run side by side. */
  succeeded(): void {
    this.width = Math.min(WIDTH_MAX, this.width + WIDENED / this.width)
  }
}
