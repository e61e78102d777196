import type { DecisionContactAnswer, DecisionDraft } from "../../../schemas/us/decision-contact.ts"
import type { Log } from "../../base/log.ts"
import type { Machine } from "../../base/machine.ts"
import type { FreeWrites } from "../../http/free-writes.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import type { StrayLeases } from "../../store/stray-leases.ts"
import type { MailSettings } from "./mail-settings.ts"

/** Steps of a message after which a test may end the process. */
export type MailStep = "received" | "read" | "handled" | "taken" | "sending" | "sent" | "settled"

export interface MailDeps {
  readonly settings: MailSettings
  readonly store: Store
  readonly freeWrites: FreeWrites
  readonly machine: Machine
  readonly log: Log
  /** Names this process in leases. */
  readonly owner: string
  /** Of received messages, and of queued ones. */
  readonly strayIn: StrayLeases
  readonly strayOut: StrayLeases
  /** What became of queued messages that this process tried to send, by id, until the database takes it. */
  readonly unrecorded: Map<string, () => Unit<void>>
  /** The final answer of contact, as the route returns it. `at` in milliseconds. Throws ServiceError. */
  readonly answer: (body: DecisionDraft, at: number) => Promise<DecisionContactAnswer>
  /** Aborts when the service stops and an attempt to send takes too long. */
  readonly signal?: AbortSignal
  readonly trace?: (step: MailStep) => void
}

/** How long a process owns a message, in milliseconds. Longer than any attempt. */
export const MAIL_LEASE_MS = 120_000

/**
 * How long no other process sends a message that this one has begun to send, in milliseconds. The SMTP server may have it, and SMTP has no way to ask.
 * A process that cannot write to the database meanwhile records the end when it can.
 */
export const MAIL_HANDOVER_MS = 300_000
