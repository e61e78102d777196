/**
 * From this number of running evaluations on, signatures are verified on other threads. The handover makes a single reply a third slower.
 */
export const CROWD_FROM = 4

/**
 * Counts the evaluations on this thread, so that signatures move to other processors only while this thread is busy. The listener limits
 * their number.
 */
export class Crowd {
  private underWay = 0

  /** On one processor a handover only adds work. */
  constructor(private readonly processors: number) {}

  get isLarge(): boolean {
    return this.processors > 1 && this.underWay >= CROWD_FROM
  }

  arrive(): void {
    this.underWay++
  }

  leave(): void {
    this.underWay--
  }
}
