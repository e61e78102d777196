/** Every write that a caller causes without a payment: who causes it, where, which tables grow, and what holds it. A test compares it with the code. */
import { PRODUCT_OPERATIONS } from "../../../schemas/product-operations.ts"
import type { SharedCapName } from "../../../src/store/free-writes/shared-caps.ts"

interface FreeWriteRow {
  readonly what: string
  /** Operation ids over HTTP, MCP and A2A, or the channel. */
  readonly by: readonly string[]
  /** The file that runs the unit. */
  readonly file: string
  readonly tables: readonly string[]
  /** The caps that it counts for. Empty: it needs none. */
  readonly caps: readonly SharedCapName[]
  /** What bounds it where no cap or no floor holds it. */
  readonly free?: string
}

const AGENT_ID = "src/products/agent-id"
const AGENT_MODE = "src/agent-mode"
const PROVE = ["ProveAgentIdentityChallenge", "ProveAgentIdentityChallengeByDescriptor"]
const TOKENS = "src/products/authorization-tokens"
const MESSAGE_TABLES = ["agent_message", "agent_message_mark"]
const HELD = "the caller holds the token of a paid answer; a row changes and none is added"

export const FREE_WRITES: readonly FreeWriteRow[] = [
  {
    what: "count of a failed payment, where processes share a database on a server",
    by: PRODUCT_OPERATIONS.map(({ paid }) => paid.id),
    file: "src/http/failure-limit.ts",
    tables: ["shared_use"],
    caps: [],
    free: "one row for each address, for a day; none while the disk is kept for what is sold",
  },
  {
    what: "challenge to enrol, or to rotate with the operational key",
    by: ["IssueAgentIdentityChallenge"],
    file: `${AGENT_ID}/open-challenge.ts`,
    tables: ["agent_challenge"],
    caps: ["CHALLENGES"],
  },
  {
    what: "challenge to revoke, or for the recovery key",
    by: ["IssueAgentIdentityChallenge"],
    file: `${AGENT_ID}/issue-key-change.ts`,
    tables: ["agent_challenge"],
    caps: ["REVOCATION_CHALLENGES"],
    free: "no floor: 8 of one identity, each for ten minutes",
  },
  {
    what: "enrolment or rotation",
    by: PROVE,
    file: `${AGENT_ID}/prove-challenge.ts`,
    tables: ["agent", "agent_key", "agent_event", "log_leaf"],
    caps: ["ENROLMENTS", "ROTATIONS"],
  },
  {
    what: "revocation of a key or an identity; a wrong proof",
    by: PROVE,
    file: `${AGENT_ID}/prove-challenge.ts`,
    tables: ["agent_event", "log_leaf"],
    caps: [],
    free: "the caller holds the key, and each key and identity ends once; a wrong proof changes a row",
  },
  {
    what: "registration of a signature, and its invitation",
    by: ["RegisterAgentArtifact"],
    file: `${AGENT_ID}/register-artifact.ts`,
    tables: ["artifact_registration", "log_leaf", "invitation"],
    caps: ["ARTIFACTS"],
  },
  {
    what: "nonce of a verified signature",
    by: ["VerifyAgentSignature"],
    file: `${AGENT_ID}/evaluate-signature.ts`,
    tables: ["signature_nonce"],
    caps: ["NONCES"],
  },
  {
    what: "opening of a channel",
    by: ["GetAgentIdChannelBootstrap"],
    file: `${AGENT_ID}/channel-entry.ts`,
    tables: ["channel_entry"],
    caps: [],
    free: "one row a channel and day; below the floor it is not counted, and the answer says so",
  },
  {
    what: "delegation of a verified organization",
    by: ["enroll_buyer_delegation"],
    file: "src/products/us/buyer-onboarding/enroll.ts",
    tables: ["delegation"],
    caps: ["DELEGATIONS"],
  },
  {
    what: "revocation of a delegation or a mandate",
    by: ["revoke_buyer_delegation", "revoke_buyer_mandate"],
    file: "src/products/us/buyer-onboarding/revoke.ts",
    tables: ["buyer_revocation", "used_nonce"],
    caps: [],
    free: "the caller holds the mandate key of an organization that the operator entered; each subject ends once",
  },
  {
    what: "recovery of an acquired decision",
    by: ["recover_payment_decision"],
    file: "src/products/us/payment-decision/recover.ts",
    tables: ["used_nonce"],
    caps: [],
    free: "the caller signs as the owner; a nonce is kept for ten minutes, 10 a minute and address",
  },
  {
    what: "use of a token",
    by: ["redeem_gb_authorization_token", "redeem_us_authorization_token"],
    file: `${TOKENS}/redeem.ts`,
    tables: ["authorization_token"],
    caps: [],
    free: HELD,
  },
  {
    what: "revocation of a token",
    by: ["revoke_gb_authorization_token", "revoke_us_authorization_token"],
    file: `${TOKENS}/revoke.ts`,
    tables: ["authorization_token"],
    caps: [],
    free: HELD,
  },
  {
    what: "end of a token that is asked about",
    by: ["status_gb_authorization_token", "status_us_authorization_token"],
    file: `${TOKENS}/status.ts`,
    tables: ["authorization_token"],
    caps: [],
    free: HELD,
  },
  {
    what: "use of a continuation",
    by: [
      "free_agent_preflight",
      "get_exact_agent_quote",
      "get_autonomous_readiness",
      "preview_evidence_reuse",
      "select_best_valid_route",
    ],
    file: `${AGENT_MODE}/planning/reply-plan.ts`,
    tables: ["planning_continuation"],
    caps: ["CONTINUATIONS"],
  },
  {
    what: "import into a wallet",
    by: ["import_proof_wallet_artifact"],
    file: `${AGENT_MODE}/wallet/import-artifact.ts`,
    tables: ["wallet_entry", "wallet_document", "wallet_request", "wallet_usage", "used_nonce"],
    caps: ["WALLET_IMPORTS", "WALLET_DOCUMENTS", "SIGNED_CALLS"],
    free: "the end of an entry that is held has neither floor nor cap",
  },
  {
    what: "nonce of a signed call that reads a wallet",
    by: ["get_proof_wallet_inventory"],
    file: "src/http/agent-signature.ts",
    tables: ["used_nonce"],
    caps: ["SIGNED_CALLS"],
  },
  {
    what: "turn of a dialogue, and its offers",
    by: ["hold_agent_dialogue"],
    file: `${AGENT_MODE}/conversation/sales/hold-dialogue.ts`,
    tables: [...MESSAGE_TABLES, "sales_dialogue", "sales_offer"],
    caps: ["DIALOGUE_TURNS"],
  },
  {
    what: "opt-out of sales, and the return",
    by: ["opt_out_of_agent_sales"],
    file: `${AGENT_MODE}/conversation/sales/opt-out.ts`,
    tables: [...MESSAGE_TABLES, "sales_opt_out"],
    caps: ["SALES_MESSAGES"],
    free: "an opt-out that changes something has neither floor nor cap; each subject is left once until a return, which counts",
  },
  {
    what: "consent to the Beacon",
    by: ["grant_intent_beacon_consent"],
    file: `${AGENT_MODE}/conversation/beacon/consent.ts`,
    tables: [...MESSAGE_TABLES, "beacon_consent"],
    caps: ["SALES_MESSAGES"],
  },
  {
    what: "revocation of a consent",
    by: ["revoke_intent_beacon_consent"],
    file: `${AGENT_MODE}/conversation/beacon/revocation.ts`,
    tables: MESSAGE_TABLES,
    caps: ["SALES_MESSAGES"],
    free: "the first revocation of a consent has neither floor nor cap",
  },
  {
    what: "event of the Beacon",
    by: ["accept_intent_beacon_event"],
    file: `${AGENT_MODE}/conversation/beacon/event.ts`,
    tables: [...MESSAGE_TABLES, "beacon_consent_day", "beacon_count"],
    caps: ["BEACON_EVENTS"],
  },
  {
    what: "opt-out of e-mail over HTTP",
    by: ["contact_payment_decision", "contact_acp_channel"],
    file: "src/contact/contact-replies.ts",
    tables: ["contact_stop"],
    caps: ["STOPS_UNPROVED"],
    free: "no floor: the table has a fixed size",
  },
  {
    what: "challenge to a mailbox, asked for over HTTP or by mail; its token",
    by: ["contact_payment_decision", "contact_acp_channel"],
    file: "src/contact/mail/challenge.ts",
    tables: ["email_challenge", "mail_out"],
    caps: ["MAILS_OVER_HTTP", "MAILS_BY_MAIL", "MAILS_TO_DOMAIN"],
  },
  {
    what: "received message",
    by: ["mail"],
    file: "src/contact/mail/receive.ts",
    tables: ["mail_in", "contact_stop"],
    caps: ["MAILS_RECEIVED"],
    free: "an opt-out of an authenticated sender that has no place is recorded at once: proved opt-outs have a fixed size",
  },
  {
    what: "opt-out by mail, fault and reply; the end of a message",
    by: ["mail"],
    file: "src/contact/mail/rounds.ts",
    tables: ["contact_stop", "mail_out"],
    caps: ["MAILS_BY_MAIL"],
    free: "each follows a received message that counted; the mailbox is proved, and proved opt-outs have a fixed size",
  },
  {
    what: "job of the chain at its first sight",
    by: ["job rail"],
    file: "src/jobs/discover.ts",
    tables: ["acp_job", "acp_event"],
    caps: ["JOBS"],
    free: "the cursor is one row; a job that the chain gave another number's place is recorded once for it",
  },
]

/** Files of the job rail that only continue a job that was taken in: its entries, notices and actions are bounded by it. */
export const BOUNDED_BY_JOB = [
  "src/jobs/await-requirement.ts",
  "src/jobs/check-terms.ts",
  "src/jobs/decide-job.ts",
  "src/jobs/follow-funding.ts",
  "src/jobs/follow-outcome.ts",
  "src/jobs/freeze-requirement.ts",
  "src/jobs/open-jobs.ts",
  "src/jobs/provider-actions.ts",
  "src/jobs/round.ts",
  "src/jobs/post-notices.ts",
  "src/jobs/serve-again.ts",
  "src/jobs/step.ts",
] as const

/** Removes what has ended. */
export const REMOVES_ONLY = ["src/agent-mode/purge-expired.ts"] as const
