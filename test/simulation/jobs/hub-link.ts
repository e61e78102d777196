/** The connection from one life of a process to the hub: late, lost and false answers, as the seed and the time decide. */
import { type AcpHub, type HubEntry, HubUnavailable } from "../../../src/jobs/hub/hub.ts"
import type { FaultRates } from "../faults.ts"
import type { Incarnation } from "../incarnation.ts"
import type { Random } from "../random.ts"
import type { Scheduler } from "../scheduler.ts"
import { keyed, type SimulatedHub, systemEntry } from "./simulated-hub.ts"

/** When the real client gives up. */
const ANSWER_MS_MAX = 10_000
/** The longest life of a stream. */
const STREAM_MS_MAX = 120_000

export interface HubLinkParts {
  readonly scheduler: Scheduler
  readonly hub: SimulatedHub
  readonly owner: Incarnation
  readonly random: Random
  readonly rates: () => FaultRates
  /** Called when a text leaves the process. */
  readonly onPost: (jobId: string, text: string) => void
  readonly onSay: (jobId: string, content: string) => void
  readonly note: (text: string, jobId: string) => void
  /** Who the provider is in the chats, in lower case. */
  readonly author: string
}

export function openHubLink(parts: HubLinkParts): AcpHub {
  const { hub, random, onPost, onSay, author } = parts
  return {
    activeJobs: () => ask(parts, "jobs", "", () => shownJobs(hub, random, isLying(parts))),
    history: (jobId) => ask(parts, "history", jobId, () => shownHistory(hub, random, jobId, isLying(parts))),
    postMessage: (jobId, content) => {
      onSay(jobId, content)
      return ask(parts, "say", jobId, () => hub.write(jobId, author, "text", content))
    },
    postDeliverable: (jobId, text) => {
      onPost(jobId, text)
      return ask(parts, "deliverable", jobId, () => hub.postDeliverable(jobId, text))
    },
    listen: (onJob, signal) => listen(parts, onJob, signal),
  }
}

function isLying({ hub, scheduler }: HubLinkParts): boolean {
  const { health } = hub
  if (scheduler.time >= health.lieUntil) return false
  health.lastFaultAt = scheduler.time
  return true
}

/** What becomes of one question. `isDone`: the hub does what is asked. `status` null: an answer; 0: none comes in time. */
function fateOf({ hub, scheduler, random, rates }: HubLinkParts): { isDone: boolean; status: number | null } {
  const { slow, lost, unanswered, error } = rates().hub
  const chance = random.fraction()
  if (scheduler.time < hub.health.awayUntil) {
    hub.health.lastFaultAt = scheduler.time
    return { isDone: false, status: random.pick([0, 502, 503]) }
  }
  let edge = slow
  if (chance < edge) return { isDone: true, status: 0 }
  edge += lost
  if (chance < edge) return { isDone: false, status: 0 }
  edge += unanswered
  if (chance < edge) return { isDone: true, status: 504 }
  edge += error
  if (chance < edge) return { isDone: false, status: random.pick([500, 503, 429]) }
  return { isDone: true, status: null }
}

function ask<T>(parts: HubLinkParts, question: string, jobId: string, run: () => T): Promise<T> {
  const { scheduler, owner, random, note } = parts
  return new Promise((resolve, reject) => {
    const fate = fateOf(parts)
    // The hub works in its own time, also for a process that has died meanwhile.
    scheduler.after(3 + random.fraction() * 60, `hub reads ${question}`, null, () => {
      let answer: T | null = null
      if (fate.isDone) answer = run()
      const { status } = fate
      const afterMs = status === 0 ? ANSWER_MS_MAX : 2 + random.fraction() * 60
      scheduler.after(afterMs, `hub answers ${question}`, owner, () => {
        note(`${owner.name}: hub ${question} ${status ?? "answers"}${fate.isDone ? "" : ", nothing done"}`, jobId)
        if (status === null) resolve(answer as T)
        else reject(new HubUnavailable(question, status === 0 ? null : status))
      })
    })
  })
}

function shownJobs(hub: SimulatedHub, random: Random, isLying: boolean): readonly string[] {
  const jobs = hub.activeJobs()
  if (!isLying) return jobs
  switch (hub.health.lie) {
    case "hides":
      return jobs.filter(() => random.chance(0.3))
    case "reorders":
      return [...jobs].reverse()
    default:
      return [...jobs, "999999", ...jobs.slice(0, 3)]
  }
}

function shownHistory(hub: SimulatedHub, random: Random, jobId: string, isLying: boolean): readonly HubEntry[] {
  const entries = hub.history(jobId)
  if (!isLying || entries.length === 0) return entries
  return [...falsified(hub, random, jobId, entries)].sort(
    (a, b) => a.timestamp - b.timestamp || (a.key < b.key ? -1 : 1),
  )
}

function falsified(
  { health }: SimulatedHub,
  random: Random,
  jobId: string,
  entries: readonly HubEntry[],
): readonly HubEntry[] {
  const moved = (entry: HubEntry) => keyed({ ...entry, timestamp: entry.timestamp + random.between(-9_000, 9_000) })
  switch (health.lie) {
    case "hides":
      return entries.filter(() => random.chance(0.5))
    case "repeats":
      return [...entries, ...entries.filter(() => random.chance(0.3)).map(moved)]
    case "reorders":
      return entries.map((entry) => (random.chance(0.5) ? moved(entry) : entry))
    case "forges": {
      const at = (entries.at(-1) as HubEntry).timestamp + 1
      const types = ["job.funded", "job.completed", "job.rejected", "job.expired"]
      const events = types.filter(() => random.chance(0.5)).map((type) => keyed(systemEntry(type, jobId, at)))
      const messages = entries
        .filter(({ contentType }) => contentType === "requirement")
        .map((entry) => ({
          ...keyed({ ...entry, content: entry.content.replace("12500.00", "12500.01"), timestamp: at }),
        }))
      return [...entries, ...events, ...messages]
    }
  }
}

/** Events arrive as steps of the process; some are lost, and some come twice. */
function listen(
  { hub, scheduler, owner, random, rates }: HubLinkParts,
  onJob: (jobId: string) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    if (scheduler.time < hub.health.awayUntil) {
      scheduler.after(50, "hub refuses a stream", owner, resolve)
      return
    }
    const stop = hub.listen((jobId) => {
      if (scheduler.time < hub.health.awayUntil || random.chance(rates().hub.lost * 5)) return
      const times = random.chance(rates().hub.unanswered * 5) ? 2 : 1
      for (let left = times; left > 0; left--) {
        scheduler.after(20 + random.fraction() * 500, "hub event", owner, () => onJob(jobId))
      }
    })
    const end = () => {
      stop()
      owner.onDeath.delete(stop)
      resolve()
    }
    owner.onDeath.add(stop)
    signal.addEventListener("abort", end, { once: true })
    scheduler.after(10_000 + random.fraction() * STREAM_MS_MAX, "hub ends a stream", owner, end)
  })
}
