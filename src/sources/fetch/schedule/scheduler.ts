/** Fetches from each publisher when it is due, one source at a time. A failed round does not stop the service. */

import type { Log } from "../../../base/log.ts"
import type { Machine } from "../../../base/machine.ts"
import { periodic, type Worker } from "../../../base/worker.ts"
import { formatInstant, MINUTE, SECOND } from "../../../core/time.ts"
import type { Store } from "../../../store/engine/unit.ts"
import { type SourceCheckRow, sourceCheck, sourceChecks } from "../../../store/sources/source-checks.ts"
import { activeSnapshots } from "../../../store/sources/sources.ts"
import type { KnownSource } from "../../boards/known-source.ts"
import type { FetchEnd } from "./fetch-child.ts"
import { backoff, nextAttempt } from "./next-attempt.ts"
import { type Poll, pollOf } from "./poll.ts"

export type PolledId = KnownSource["id"]

export interface ScheduleParts {
  readonly store: Store
  readonly machine: Machine
  readonly log: Log
  /** The sources to fetch, without the disabled ones. A register is fetched after its first import: with that the operator decides to use it. */
  readonly sources: readonly KnownSource[]
  /** Runs one round of one source; resolves when it is over. Rejects if it could not start. */
  readonly fetch: (due: DueSource, signal: AbortSignal) => Promise<FetchEnd>
}

export interface DueSource {
  readonly id: PolledId
  /** When its publisher was last asked, RFC 3339, or null. If this has changed when the round begins, another process has asked. */
  readonly lastAttempt: string | null
}

const POLL_EVERY_MS = 5 * SECOND

/** Longest wait for a source that another process fetches. The first wait is {@link POLL_EVERY_MS}, and each further one is twice as long. */
const BUSY_WAIT_MAX_MS = MINUTE

/** Consecutive rounds of a source that ended without a database row. */
interface Fruitless {
  /** `BUSY`: another process held the source. `DIED`: killed, crashed, or not started. */
  readonly why: "BUSY" | "DIED"
  readonly count: number
  readonly at: number
}

/** In milliseconds. */
function waitAfter({ why, count }: Fruitless, poll: Poll): number {
  return why === "DIED"
    ? backoff(poll, count)
    : Math.min(POLL_EVERY_MS * 2 ** Math.min(count - 1, 30), BUSY_WAIT_MAX_MS)
}

interface Polled {
  readonly id: PolledId
  readonly poll: Poll
  readonly check: SourceCheckRow | null
}

interface Schedule {
  /** Fetches the due sources one after the other, the most overdue first. Resolves when the last round is over. */
  round(): Promise<void>
  stopFetching(): void
}

export function scheduler(parts: ScheduleParts): Worker {
  const schedule = scheduleOf(parts)
  const worker = periodic("sources fetch", POLL_EVERY_MS, schedule.round, parts)
  const stop = () => {
    schedule.stopFetching()
    return worker.stop()
  }
  return { ...worker, stop }
}

export function scheduleOf({ store, machine, log, sources, fetch }: ScheduleParts): Schedule {
  const stopping = new AbortController()
  const fruitless = new Map<PolledId, Fruitless>()
  /** The time that the log last reported. */
  let planned = ""

  function due({ id, poll, check }: Polled, now: number): number {
    const last = fruitless.get(id)
    const planned = nextAttempt(poll, check, now)
    // If the clock was set back, do not extend the wait.
    return last && last.at <= now ? Math.max(planned, last.at + waitAfter(last, poll)) : planned
  }

  async function polled(): Promise<readonly Polled[]> {
    const { checks, active } = await store.read(function* () {
      return { checks: yield* sourceChecks(), active: yield* activeSnapshots() }
    })
    const checkOf = (id: PolledId) => checks.find(({ sourceId }) => sourceId === id) ?? null
    return sources.flatMap((source) => {
      const { id } = source
      const poll = pollOf(source, active.find(({ sourceId }) => sourceId === id) ?? null)
      return poll ? [{ id, poll, check: checkOf(id) }] : []
    })
  }

  /** Returns false if no source is due. */
  async function askFirst(): Promise<boolean> {
    const now = machine.now()
    const next = (await polled()).map((one) => ({ ...one, at: due(one, now) })).sort((a, b) => a.at - b.at)[0]
    if (!next || stopping.signal.aborted) return false
    if (next.at > now) {
      const plan = { source_id: next.id, at: formatInstant(next.at) }
      if (plan.at !== planned) log.debug("source_fetch_planned", plan)
      planned = plan.at
      return false
    }
    const { id, check } = next
    const asking = { id, lastAttempt: check?.attemptedAt ?? null }
    const end = await fetch(asking, stopping.signal).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      return { exit: null, timedOut: false, said: `not started: ${why}`, isBusy: false }
    })
    if (stopping.signal.aborted) return false
    const after = await store.read(() => sourceCheck(id))
    if (after && after.attemptedAt !== check?.attemptedAt) {
      fruitless.delete(id)
      logCheck(log, after, machine.now() - now)
      return true
    }
    const why = end.isBusy ? "BUSY" : "DIED"
    const before = fruitless.get(id)
    const count = before?.why === why ? before.count + 1 : 1
    const at = machine.now()
    fruitless.set(id, { why, count, at })
    logFruitless(log, end, { id, count, retryAt: due(next, at) })
    return true
  }

  /** Runs at most one fetch for each source, because each fetch postpones its own source. */
  async function round(): Promise<void> {
    for (const _ of sources) if (!(await askFirst())) return
  }

  return { round, stopFetching: () => stopping.abort() }
}

/** `tookMs`: the duration of the round. */
function logCheck(log: Log, { sourceId, outcome, code, failures }: SourceCheckRow, tookMs: number): void {
  const fields = { source_id: sourceId, outcome, seconds: Math.round(tookMs / SECOND) }
  if (outcome === "IMPORTED" || outcome === "NOT_MODIFIED") log.info("source_fetched", fields)
  else log.warn("source_not_fetched", { ...fields, code, failures })
}

function logFruitless(
  log: Log,
  { isBusy, exit, timedOut, said }: FetchEnd,
  { id, count, retryAt }: { readonly id: PolledId; readonly count: number; readonly retryAt: number },
): void {
  const retry_at = formatInstant(retryAt)
  if (isBusy) log.info("source_fetch_busy", { source_id: id, tries: count, retry_at })
  else log.error("source_fetch_died", { source_id: id, exit, timed_out: timedOut, deaths: count, retry_at, said })
}
