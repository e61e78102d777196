/** A broken invariant. A run may be told to ignore some of the classes. */
export const VIOLATION_KINDS = [
  /** 1: a transfer that belongs to two deliveries, a delivery without its transfer, or a transfer of another amount. */
  "transfer_and_delivery_differ",
  /** 1: two authorizations of one request moved money through transactions of the service. */
  "charged_twice",
  /** 2: money had moved, and a response said that nothing was charged, or was a 402. */
  "told_uncharged_after_payment",
  /** 2: a 402 was sent, and a transaction signed before by the service moved the money afterwards. */
  "charged_after_told_uncharged",
  /** 2: a response other than a 402 said "not charged" while a transaction for the same authorization was stored and not yet mined. */
  "told_uncharged_while_sent",
  /** 3: bytes left a process before the unit that stored them was committed. */
  "sent_before_stored",
  /** 3: a transfer was sent before the chain's clock was past its `validAfter`. */
  "sent_too_early",
  /** 3: bytes were sent for an attempt that had ended. */
  "sent_after_end",
  /** 3: an attempt that FAILED out of SETTLING was paid. */
  "paid_after_failed",
  /** 3: the reason that ended an attempt, or made its transfer final, is in no safe block. */
  "not_final",
  /** 4: two answers to equal requests differ. */
  "answers_differ",
  /** 5: holds, budgets or single-use evidence are not counted once for each delivery, or are counted without one. */
  "counted_wrongly",
  /** 6: a row moved against the state machine, or without an event. */
  "move_against_rules",
  /** A bug was logged, or an answer was 500. */
  "internal_error",
  /** A payment was refused as outside its window, and by the chain's clock it was inside. */
  "refused_in_window",
  /** Progress: an attempt goes on although a safe block showed its outcome. */
  "outcome_late",
  /** Progress: an accepted authorization could be settled and was not sent, or a process did not send what a former key had signed. */
  "not_sent",
  /** Progress: an attempt that does not end. */
  "attempt_never_ends",
  /** Progress: a payment that is neither delivered nor listed. */
  "payment_lost",
  /** Progress: a relayer nonce that is never used up. */
  "nonce_gap",
  /** Progress: a healthy server that does not sell. */
  "does_not_sell",
  /** Jobs: a decision was acquired, posted, submitted or recovered before its funding was in a safe block. */
  "released_before_safe",
  /** Jobs: the posted text, the frozen text and the submitted hash differ. */
  "submission_differs",
  /** Jobs: two purchases of one signed request are live or acquired. */
  "sold_twice",
  /** Jobs: another budget than the price, a second event of one kind, or a message that asks to fund. */
  "budget_differs",
  /** Jobs: a submission was signed after the deadline. */
  "submitted_late",
  /** Jobs: a fact without its event, at a wrong level, or missing in the end. */
  "fact_without_event",
  /** Progress: a job that does not end. */
  "job_never_ends",
  /** Progress: a job that was funded in time and not delivered, or its recovery says something else. */
  "job_not_delivered",
  /** The code used real time, randomness, timers or network. */
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
