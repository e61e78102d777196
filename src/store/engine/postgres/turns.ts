/**
 * Units of one process that change the same row. Side by side, all but one of them would wait for the row, end with a conflict, and run again. So one
 * of them is queued or runs, and the others wait.
 */
import { takeOut } from "./connections.ts"
import type { Job } from "./job.ts"

export class Turns {
  /** Of a turn that is taken: the jobs that wait for it. */
  private readonly waiting = new Map<string, Job[]>()

  /** False if the job waits. */
  take(job: Job): boolean {
    if (job.turn === null) return true
    const others = this.waiting.get(job.turn)
    if (others) others.push(job)
    else this.waiting.set(job.turn, [])
    return others === undefined
  }

  /** Only jobs that wait for a turn. */
  takeOut(isOut: (job: Job) => boolean): Job[] {
    return [...this.waiting.values()].flatMap((jobs) => takeOut(jobs, isOut))
  }

  /** The job that has the turn of an ended one now. */
  pass({ turn }: Job): Job | undefined {
    if (turn === null) return undefined
    const next = this.waiting.get(turn)?.shift()
    if (!next) this.waiting.delete(turn)
    return next
  }
}
