/** The caps that all callers share. Data: the page of limits, the metrics and `check` print it. */

import { DAY, MINUTE } from "../../core/time.ts"

export interface SharedCap {
  /** What is counted, for people: a plural. */
  readonly what: string
  /** Of all callers together in one window; in a cap with `scoped`, of one scope. */
  readonly max: number
  /** Milliseconds. Windows begin at multiples of it since 1970, so that of a day is the UTC day. */
  readonly window: number
  /** Most of one address in a window. Absent: only its share limits it. */
  readonly ofAddress?: number
  /** Most of one identity in a window. */
  readonly ofAgent?: number
  /** Most of one mail domain in a window. */
  readonly ofDomain?: number
  /** Most of one mailbox in a window. */
  readonly ofMailbox?: number
  /** A share is never less. Default 1. */
  readonly shareMin?: number
  /** Counted for each mail domain apart: one domain may use it up, and no other notices. */
  readonly scoped?: "DOMAIN"
  /** What it counts takes a bounded room, and who leaves needs it: it works below the floor too. */
  readonly ignoresFloor?: true
  /** What a caller who reached it can do before the window ends. */
  readonly instead: string
}

const ENROLMENTS_A_DAY = 20_000
const ENROLMENTS_OF_ADDRESS_A_DAY = 200
const CHALLENGES_IN_TEN_MINUTES = 50_000
const REVOCATION_CHALLENGES_IN_TEN_MINUTES = 20_000
const ROTATIONS_A_DAY = 20_000
const ARTIFACTS_A_DAY = 10_000
const ARTIFACTS_OF_AGENT_A_DAY = 100
const NONCES_IN_TEN_MINUTES = 500_000
const NONCES_OF_AGENT_IN_TEN_MINUTES = 10_000
const DELEGATIONS_A_DAY = 10_000
const SIGNED_CALLS_IN_TEN_MINUTES = 200_000
const WALLET_IMPORTS_A_DAY = 60_000
const WALLET_DOCUMENT_UNITS_A_DAY = 4_096
const DIALOGUE_TURNS_A_DAY = 20_000
const SALES_MESSAGES_A_DAY = 20_000
const BEACON_EVENTS_A_DAY = 500_000
const CONTINUATIONS_IN_A_QUARTER = 100_000
const MAILS_OVER_HTTP_A_DAY = 500
/**
 * CHOICE: these answer authenticated messages, so they reach nobody who did not write. The share of a domain is a hundred, and of a mailbox
 * three: over thirty mailboxes of one large provider must work together to use up its share.
 */
const MAILS_BY_MAIL_A_DAY = 5_000
/**
 * CHOICE: over HTTP anybody may name any mailbox, so few messages go to one domain, however large it is. It is the only cap that 200
 * addresses use up. Who has a mailbox there writes from it, which does not count for this cap.
 */
const MAILS_TO_DOMAIN_A_DAY = 20
const MAILS_TO_MAILBOX_A_DAY = 3
const MAILS_RECEIVED_A_DAY = 50_000
const MAILS_RECEIVED_OF_MAILBOX_A_DAY = 100
const STOPS_UNPROVED_A_DAY = 2_500
const JOBS_A_DAY = 50_000

const WAIT = "wait until then"

export const SHARED_CAPS = {
  ENROLMENTS: {
    what: "enrolments",
    max: ENROLMENTS_A_DAY,
    window: DAY,
    ofAddress: ENROLMENTS_OF_ADDRESS_A_DAY,
    instead: WAIT,
  },
  CHALLENGES: {
    what: "challenges to enrol or to rotate",
    max: CHALLENGES_IN_TEN_MINUTES,
    window: 10 * MINUTE,
    instead: WAIT,
  },
  REVOCATION_CHALLENGES: {
    what: "challenges to revoke or to recover",
    max: REVOCATION_CHALLENGES_IN_TEN_MINUTES,
    window: 10 * MINUTE,
    ignoresFloor: true,
    instead: "sign the challenge that is open, which the same request returns",
  },
  ROTATIONS: {
    what: "rotations",
    max: ROTATIONS_A_DAY,
    window: DAY,
    instead: "revoke the key, which always works",
  },
  ARTIFACTS: {
    what: "registrations",
    max: ARTIFACTS_A_DAY,
    window: DAY,
    ofAgent: ARTIFACTS_OF_AGENT_A_DAY,
    instead: "verify the statement, which stores nothing",
  },
  NONCES: {
    what: "recorded nonces",
    max: NONCES_IN_TEN_MINUTES,
    window: 10 * MINUTE,
    ofAgent: NONCES_OF_AGENT_IN_TEN_MINUTES,
    instead: "send replay_check OBSERVE, which records nothing",
  },
  DELEGATIONS: { what: "delegations", max: DELEGATIONS_A_DAY, window: DAY, instead: WAIT },
  SIGNED_CALLS: {
    what: "signed calls that read a wallet",
    max: SIGNED_CALLS_IN_TEN_MINUTES,
    window: 10 * MINUTE,
    instead: WAIT,
  },
  WALLET_IMPORTS: {
    what: "imports into wallets",
    max: WALLET_IMPORTS_A_DAY,
    window: DAY,
    instead: "end an entry, which always works",
  },
  WALLET_DOCUMENTS: {
    what: "units of 64 KiB of documents in wallets",
    max: WALLET_DOCUMENT_UNITS_A_DAY,
    window: DAY,
    shareMin: 16,
    instead: "keep the digest only",
  },
  DIALOGUE_TURNS: {
    what: "turns of dialogues",
    max: DIALOGUE_TURNS_A_DAY,
    window: DAY,
    instead: "read the catalogue and the prices, which are public",
  },
  SALES_MESSAGES: {
    what: "consents, returns to sales, and messages that change nothing",
    max: SALES_MESSAGES_A_DAY,
    window: DAY,
    instead: "a revocation and an opt-out that change something always work",
  },
  BEACON_EVENTS: { what: "events of the Beacon", max: BEACON_EVENTS_A_DAY, window: DAY, instead: WAIT },
  CONTINUATIONS: {
    what: "continuations that are used",
    max: CONTINUATIONS_IN_A_QUARTER,
    window: 15 * MINUTE,
    instead: "plan without a continuation",
  },
  MAILS_OVER_HTTP: {
    what: "messages asked for over HTTP",
    max: MAILS_OVER_HTTP_A_DAY,
    window: DAY,
    instead: "send the same body without reply_to, and its complete reply comes at once; or write from the mailbox",
  },
  MAILS_BY_MAIL: {
    what: "challenges and faults sent for received messages",
    max: MAILS_BY_MAIL_A_DAY,
    window: DAY,
    ofMailbox: MAILS_TO_MAILBOX_A_DAY,
    instead: "use contact over HTTP",
  },
  MAILS_TO_DOMAIN: {
    what: "messages to the mailboxes of one domain, asked for over HTTP",
    max: MAILS_TO_DOMAIN_A_DAY,
    window: DAY,
    ofMailbox: MAILS_TO_MAILBOX_A_DAY,
    shareMin: 3,
    scoped: "DOMAIN",
    instead: "write from the mailbox, or use contact over HTTP without reply_to",
  },
  MAILS_RECEIVED: {
    what: "received messages",
    max: MAILS_RECEIVED_A_DAY,
    window: DAY,
    ofMailbox: MAILS_RECEIVED_OF_MAILBOX_A_DAY,
    instead: "the mail server tries again; an opt-out is recorded all the same",
  },
  STOPS_UNPROVED: {
    what: "opt-outs of e-mail without a proof",
    max: STOPS_UNPROVED_A_DAY,
    window: DAY,
    ignoresFloor: true,
    instead: "send STOP by mail from the mailbox itself, which counts for no such limit",
  },
  JOBS: { what: "jobs that are taken in", max: JOBS_A_DAY, window: DAY, instead: "buy the decision over HTTP" },
} as const satisfies Record<string, SharedCap>

export type SharedCapName = keyof typeof SHARED_CAPS
export type SharedCaps = Readonly<Record<SharedCapName, SharedCap>>
export const SHARED_CAP_NAMES = Object.keys(SHARED_CAPS) as readonly SharedCapName[]
