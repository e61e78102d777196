/** Evaluations under way from which on signatures go to other threads: handing over makes a lone answer later by a third. */
export const CROWD_FROM = 4

/**
 * How many evaluations wait for this thread, so that signatures are verified on other processors while it has enough to do. There are
 * never more than the listener lets in.
 */
export class Crowd {
  private underWay = 0

  /** On one processor handing over only adds work. */
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
