/**
 * The list of reasons why the service is not ready. `/readyz` names them, and the service quotes nothing while there is one. It fails
 * closed: a check that throws or does not end is a reason, and so is a list that is too old.
 */
import { ServiceError } from "./errors.ts"
import { bugFields, type Log } from "./log.ts"
import type { Machine } from "./machine.ts"
import { isErrorCode } from "./refusals.ts"
import { periodic, type Worker } from "./worker.ts"

export interface Reason {
  /** Upper case. */
  readonly code: string
  /** A sentence for the caller, without a path, address or value of the configuration. */
  readonly detail: string
}

export interface Check {
  /** Lower case. If the check fails, part of the code and detail of the reason. */
  readonly name: string
  /** Returns the current reasons; none if all is well. */
  reasons(): readonly Reason[] | Promise<readonly Reason[]>
}

/** An older list of reasons proves nothing about the current state. */
const AGE_MS_MAX = 15_000
const CHECK_EVERY_MS = 5_000
/** A check that runs longer counts as failed. It is not started again before it ends. */
const CHECK_MS_MAX = 8_000

interface ReadinessParts {
  readonly machine: Pick<Machine, "monotonic" | "after">
  readonly log: Log
  /** The reason until the first run of the checks has ended. */
  readonly first?: Reason
  /** Default 15 seconds. */
  readonly ageMaxMs?: number
}

/**
 * The only loop that runs the checks: with payments on or off, and at once when it begins. The status page, `/readyz`, metrics and the refusal
 * to quote all read its last result, so they agree.
 */
export function readinessWorker(
  readiness: Readiness,
  parts: { readonly machine: Pick<Machine, "after">; readonly log: Log },
): Worker {
  return periodic("readiness", CHECK_EVERY_MS, () => readiness.run(), { ...parts, atOnce: true })
}

export class Readiness {
  private readonly checks: Check[] = []
  private readonly underway = new Set<Check>()
  private failing: ReadonlySet<string> = new Set()
  private present: readonly Reason[] = []
  /** Monotonic start time of the last run that ended. */
  private ranAt = Number.NEGATIVE_INFINITY
  private running: Promise<void> | null = null

  constructor(private readonly parts: ReadinessParts) {}

  /** Adds checks after the existing ones. Their reasons count from the next run. */
  add(...checks: readonly Check[]): void {
    this.checks.push(...checks)
  }

  /** Returns the reasons of the last run, without a new run. Empty if the service is ready. */
  reasons(): readonly Reason[] {
    if (this.ranAt === Number.NEGATIVE_INFINITY) return [this.parts.first ?? STALE]
    return this.isCurrent() ? this.present : [...this.present, STALE]
  }

  /** Returns the same, but runs the checks first if their last run is missing or too old. */
  async currentReasons(): Promise<readonly Reason[]> {
    if (!this.isCurrent()) await this.run()
    return this.reasons()
  }

  private isCurrent(): boolean {
    if (this.ranAt === Number.NEGATIVE_INFINITY) return false
    return this.parts.machine.monotonic() - this.ranAt <= (this.parts.ageMaxMs ?? AGE_MS_MAX)
  }

  /** Runs every check once. Never rejects. A call during a run returns the end of that run. */
  run(): Promise<void> {
    this.running ??= this.runOnce().finally(() => {
      this.running = null
    })
    return this.running
  }

  /** Starts a run after this call, even if another run is in progress. */
  async runAgain(): Promise<void> {
    await this.running
    await this.run()
  }

  private async runOnce(): Promise<void> {
    const { machine, log } = this.parts
    const begunAt = machine.monotonic()
    const failing = new Set<string>()
    const found = await Promise.all(this.checks.map((check) => this.ask(check, failing)))
    const before = codesOf(this.present)
    this.failing = failing
    this.present = found.flat().filter(({ code }, at, all) => all.findIndex((one) => one.code === code) === at)
    this.ranAt = begunAt
    const now = codesOf(this.present)
    if (now !== before) log.warn("readiness_changed", { not_ready: now === "" ? null : now })
  }

  private async ask(check: Check, failing: Set<string>): Promise<readonly Reason[]> {
    try {
      return await this.inTime(check)
    } catch (error) {
      failing.add(check.name)
      // Log once when it begins, not on every run.
      if (!this.failing.has(check.name)) {
        this.parts.log.error("readiness_check_failed", { check: check.name, ...bugFields(error) })
      }
      return [failed(check)]
    }
  }

  private async inTime(check: Check): Promise<readonly Reason[]> {
    if (this.underway.has(check)) throw new CheckTimeout()
    this.underway.add(check)
    const answer = (async () => check.reasons())().finally(() => this.underway.delete(check))
    let cancel = () => {}
    const late = new Promise<never>((_, reject) => {
      cancel = this.parts.machine.after(CHECK_MS_MAX, () => reject(new CheckTimeout()))
    })
    return await Promise.race([answer, late]).finally(cancel)
  }
}

class CheckTimeout extends Error {
  constructor() {
    super(`not answered within ${CHECK_MS_MAX} ms`)
  }
}

const STALE: Reason = {
  code: "READINESS_STALE",
  detail: "The server has not checked its own state for 15 seconds.",
}

function failed({ name }: Check): Reason {
  return {
    code: `CHECK_FAILED_${name.toUpperCase().replaceAll(" ", "_")}`,
    detail: `The check of the ${name} failed, so its state is unknown.`,
  }
}

/** Returns the refusal to sell for these reasons, named after the first one; null if there is none. */
export function notReadyError(reasons: readonly Reason[]): ServiceError | null {
  const [first] = reasons
  if (!first) return null
  const code = isErrorCode(first.code) ? first.code : "NOT_READY"
  return new ServiceError(code, first.detail, { reasonCodes: reasons.map((reason) => reason.code) })
}

function codesOf(reasons: readonly Reason[]): string {
  return reasons.map(({ code }) => code).join(" ")
}
