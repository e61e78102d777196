/** A broken invariant. The classes are what a run may be told to overlook. */
export const VIOLATION_KINDS = [
  /** 1: a transfer that belongs to two deliveries, a delivery without its transfer, or a transfer of another amount. */
  "transfer_and_delivery_differ",
  /** 1: two authorizations of one request moved money through transactions of ours. */
  "charged_twice",
  /** 2: money had moved, and an answer said that nothing was charged, or was a 402. */
  "told_uncharged_after_payment",
  /** 2: a 402 was said, and a transaction of ours that was signed before moved the money afterwards. */
  "charged_after_told_uncharged",
  /** 2: "not charged" was said, not by a 402, while a transaction for the very authorization was stored and not yet mined. */
  "told_uncharged_while_sent",
  /** 3: bytes left a process before the unit that stored them was committed. */
  "sent_before_stored",
  /** 3: bytes were sent for an attempt that had ended. */
  "sent_after_end",
  /** 3: an attempt that FAILED out of SETTLING was paid. */
  "paid_after_failed",
  /** 3: what ended an attempt, or made its transfer final, is in no safe block. */
  "not_final",
  /** 4: two answers to equal requests differ. */
  "answers_differ",
  /** 5: holds, budgets or single-use evidence are not counted once for what was delivered and not at all for the rest. */
  "counted_wrongly",
  /** 6: a row moved against the state machine, or without an event. */
  "move_against_rules",
  /** A bug was logged, or an answer was 500. */
  "internal_error",
  /** Liveness: an attempt that does not end. */
  "attempt_never_ends",
  /** Liveness: a payment that is neither delivered nor listed. */
  "payment_lost",
  /** Liveness: a relayer nonce that is never used up. */
  "nonce_gap",
  /** Liveness: a healthy server that does not sell. */
  "does_not_sell",
  /** The code asked for real time, chance, timers or network. */
  "leak",
] as const
export type ViolationKind = (typeof VIOLATION_KINDS)[number]

export interface Violation {
  readonly kind: ViolationKind
  readonly text: string
  /** Names in the trace: a purchase, an attempt, an authorization, a transaction. */
  readonly about: readonly string[]
  /** Virtual ms since the run began. */
  readonly at: number
}

export class ViolationFound extends Error {
  constructor(readonly violation: Violation) {
    super(`${violation.kind}: ${violation.text}`)
  }
}
