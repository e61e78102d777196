/**
 * The hub of a simulated world: chats, deliverables and events of jobs. It keeps what it stored. What it answers may be late, lost,
 * incomplete, repeated or false; see hub-link.ts.
 */
import { hash } from "node:crypto"
import type { HubEntry } from "../../../src/jobs/hub/hub.ts"
import type { EscrowEvent } from "./escrow-log.ts"
import { PROVIDER_LOWER } from "./job-terms.ts"

/** The present faults of the hub. The world changes the members; times are virtual ms. */
export class HubHealth {
  awayUntil = 0
  lieUntil = 0
  lie: HubLie = "hides"
  /** The last time when it was away or lied. */
  lastFaultAt = Number.NEGATIVE_INFINITY
}

/**
 * `hides`: some entries and jobs are missing. `repeats`: entries come again under other times, and jobs that do not exist are listed.
 * `reorders`: entries have other times. `forges`: events and messages that nobody sent.
 */
export const HUB_LIES = ["hides", "repeats", "reorders", "forges"] as const
export type HubLie = (typeof HUB_LIES)[number]

type Written = Omit<HubEntry, "key" | "tooLarge">

/** The name of a chain event at the hub, and whether the job is over after it. */
const TYPES: Readonly<Partial<Record<EscrowEvent["name"], readonly [type: string, isOver: boolean]>>> = {
  JobCreated: ["job.created", false],
  BudgetSet: ["budget.set", false],
  JobFunded: ["job.funded", false],
  JobSubmitted: ["job.submitted", false],
  JobCompleted: ["job.completed", true],
  JobRejected: ["job.rejected", true],
  JobExpired: ["job.expired", true],
}

export class SimulatedHub {
  readonly health = new HubHealth()
  private readonly chats = new Map<string, HubEntry[]>()
  private readonly posted = new Map<string, string[]>()
  private readonly active = new Set<string>()
  private readonly listeners = new Set<(jobId: string) => void>()

  /** `now` in ms. */
  constructor(private readonly now: () => number) {}

  /** Someone writes into a chat. `author` in lower case. */
  write(jobId: string, author: string, contentType: string, content: string): void {
    this.add(jobId, { kind: "message", contentType, eventType: null, author, content, timestamp: this.now() })
  }

  /** The hub sees an event at the head of the chain, and never hears that a reorganization took it away. */
  observe(event: EscrowEvent): void {
    const [type, isOver] = TYPES[event.name] ?? []
    if (type === undefined) return
    if (isOver) this.active.delete(event.jobId)
    else this.active.add(event.jobId)
    this.add(event.jobId, systemEntry(type, event.jobId, this.now()))
  }

  postDeliverable(jobId: string, text: string): void {
    const texts = this.posted.get(jobId) ?? []
    this.posted.set(jobId, texts)
    texts.push(text)
    this.write(jobId, PROVIDER_LOWER, "deliverable", text)
  }

  /** Texts in the order of posting. */
  deliverables(jobId: string): readonly string[] {
    return this.posted.get(jobId) ?? []
  }

  /** By time and key. */
  history(jobId: string): readonly HubEntry[] {
    return this.chats.get(jobId) ?? []
  }

  activeJobs(): readonly string[] {
    return [...this.active]
  }

  /** Codes of what the provider said, in order. */
  toldCodes(jobId: string): string[] {
    return this.history(jobId)
      .filter(({ author, contentType }) => author === PROVIDER_LOWER && contentType === "text")
      .map(({ content }) => (JSON.parse(content) as { code: string }).code)
  }

  /** The returned function ends it. */
  listen(onJob: (jobId: string) => void): () => void {
    this.listeners.add(onJob)
    return () => this.listeners.delete(onJob)
  }

  private add(jobId: string, written: Written): void {
    const chat = this.chats.get(jobId) ?? []
    this.chats.set(jobId, chat)
    chat.push(keyed(written))
    for (const listener of this.listeners) listener(jobId)
  }
}

export function systemEntry(eventType: string, jobId: string, timestamp: number): Written {
  const content = JSON.stringify({ type: eventType, jobId, amount: 0.79 })
  return { kind: "system", contentType: null, eventType, author: null, content, timestamp }
}

/** Entries with the same content, author and time are one. */
export function keyed(written: Written): HubEntry {
  const { kind, contentType, eventType, author, content, timestamp } = written
  const key = hash("sha256", JSON.stringify([kind, contentType, eventType, author, content, timestamp]))
  return { ...written, key, tooLarge: false }
}
