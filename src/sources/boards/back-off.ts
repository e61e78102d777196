/** Waits between tries, counted in rounds. After the first failure one round passes without a try, then two, four and so on. */
export class BackOff {
  private failures = 0
  private roundsToWait = 0

  /** `doublingsMax`: after so many failures in a row the wait stops growing. */
  constructor(private readonly doublingsMax: number) {}

  /** Asked once a round. */
  waits(): boolean {
    if (this.roundsToWait === 0) return false
    this.roundsToWait--
    return true
  }

  succeeded(): void {
    this.failures = 0
    this.roundsToWait = 0
  }

  /** Returns the number of failures in a row, and of the rounds without a try. */
  failed(): { readonly failures: number; readonly rounds: number } {
    this.roundsToWait = 2 ** Math.min(this.failures++, this.doublingsMax)
    return { failures: this.failures, rounds: this.roundsToWait }
  }
}
