/** How late the answers of one server may be. All that it owes share one timer. */
import type { Machine } from "../../../base/machine.ts"
import { PostgresFault } from "./postgres-fault.ts"

type Timers = Pick<Machine, "after" | "monotonic">

export class Deadline {
  private readonly owed = new Set<(fault: PostgresFault) => void>()
  /** Since when the next answer is owed, by the monotonic clock. */
  private since = 0
  private cancel = () => {}

  constructor(
    private readonly machine: Timers,
    private readonly ms: number,
  ) {}

  /**
   * Settles as the work does. Rejects with {@link PostgresFault} if the server owes an answer and gives none for so long. It answers in the order of
   * the questions, so the time of one begins when the one before it is answered. The work goes on until its connection closes.
   */
  require<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.owed.size === 0) this.begin()
      this.owed.add(reject)
      work.then(
        (answer) => {
          this.answered(reject)
          resolve(answer)
        },
        (error) => {
          this.answered(reject)
          reject(error)
        },
      )
    })
  }

  private begin(): void {
    this.since = this.machine.monotonic()
    this.arm(this.ms)
  }

  private arm(ms: number): void {
    this.cancel = this.machine.after(ms, () => {
      const leftMs = this.since + this.ms - this.machine.monotonic()
      if (leftMs > 0) this.arm(leftMs)
      else for (const reject of this.owed) reject(new PostgresFault("OVERDUE", `no answer in ${this.ms} ms`))
    })
  }

  private answered(reject: (fault: PostgresFault) => void): void {
    this.owed.delete(reject)
    if (this.owed.size === 0) this.cancel()
    else this.since = this.machine.monotonic()
  }
}
