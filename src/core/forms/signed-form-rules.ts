/**
 * What the public is promised about each signed form, beside its schema: purpose, signer, where value and signature travel, which key, how
 * long, how often. `GET /v1/agent/signed-forms` and `docs/reference/signed-forms.md` are printed from it. A test signs each form that a
 * caller signs by these rules alone.
 */
import type { SignedForms } from "../../../schemas/discovery/signed-forms.ts"
import type { SignedFormName } from "../signed-forms.ts"

type PublishedForm = SignedForms["forms"][string]

/** Whose key signs. */
export type FormSigner = PublishedForm["signers"][number]

interface SignedFormRules {
  /** One sentence. */
  readonly purpose: string
  readonly signers: readonly FormSigner[]
  readonly keyRule: string
  /** What carries value and signature. */
  readonly carrier: PublishedForm["carrier"]
  /** Pointer to the signed value in the carrier. Null: it is never sent, both sides build it. */
  readonly valueAt: string | null
  /** Pointers, from the value, to the members that the signature leaves out. */
  readonly leavesOut: readonly string[]
  /** Pointers to the signatures in the carrier, in the order of `signers`. A `*` is any index. */
  readonly signatureAt: readonly string[]
  readonly lifetime: string
  readonly nonce: string
  /** Ids of the operations that take or give it. */
  readonly operations: readonly string[]
}

const OPERATIONAL = "The ACTIVE operational key of the agent that the value names; key_id names the key."
const MANDATE_KEY =
  "An ACTIVE mandate key of the organization, as the operator entered it; signature.issuer is organization_id and signature.key_id names the key."
const STATEMENT_KEY =
  "The service's statement key that signature.key_id names, from /.well-known/jwks.json; signature.issuer is the service's issuer id."
const SANDBOX_KEY =
  "The service's sandbox key, which POST /v1/agent-mode/bootstrap names and no key set has; signature.issuer ends with :sandbox."
const FIVE_MINUTES = "issued_at is at most 300 seconds before or after the server's time."
const EVALUATED_AT = "freshness_requirements.evaluated_at is at most 300 seconds before or after the server's time."
const ONCE = "Each signature has a new nonce; a nonce is taken once."
const NO_NONCE = "None."
const UNTIL = "From valid_as_of to valid_until."
const NO_END = "It states a fact of its time and has no end."

type Place = Pick<SignedFormRules, "carrier" | "valueAt" | "leavesOut" | "signatureAt">

const flat: Place = {
  carrier: "HTTP_REQUEST_BODY",
  valueAt: "",
  leavesOut: ["/signature"],
  signatureAt: ["/signature/value"],
}

/** A request whose signature is a member of `requesting_agent`. */
const asRequest: Place = {
  carrier: "HTTP_REQUEST_BODY",
  valueAt: "",
  leavesOut: ["/requesting_agent/request_signature"],
  signatureAt: ["/requesting_agent/request_signature"],
}

/** The document `{payload, digest, signature}` at `pointer` of a response. */
function payloadAt(pointer: string): Place {
  return {
    carrier: "HTTP_RESPONSE_BODY",
    valueAt: `${pointer}/payload`,
    leavesOut: [],
    signatureAt: [`${pointer}/signature/value`],
  }
}

function byService(purpose: string, pointer: string, lifetime: string, operations: readonly string[]): SignedFormRules {
  return {
    purpose,
    signers: ["SERVICE_STATEMENT_KEY"],
    keyRule: STATEMENT_KEY,
    ...payloadAt(pointer),
    lifetime,
    nonce: NO_NONCE,
    operations,
  }
}

function bySandbox(purpose: string, pointer: string): SignedFormRules {
  return {
    purpose,
    signers: ["SERVICE_SANDBOX_KEY"],
    keyRule: SANDBOX_KEY,
    ...payloadAt(pointer),
    lifetime: "None: it is about nothing real.",
    nonce: NO_NONCE,
    operations: ["run_synthetic_journey"],
  }
}

function byMandateKey(
  purpose: string,
  { lifetime, nonce, operations }: Pick<SignedFormRules, "lifetime" | "nonce" | "operations">,
): SignedFormRules {
  return {
    purpose,
    signers: ["ORGANIZATION_MANDATE_KEY"],
    keyRule: MANDATE_KEY,
    ...flat,
    lifetime,
    nonce,
    operations,
  }
}

/** A message of an agent to sales or to the Intent Beacon. `scope` must be one of its `scopes`. */
function message(purpose: string, scope: string, operation: string): SignedFormRules {
  return {
    purpose,
    signers: ["AGENT_OPERATIONAL_KEY"],
    keyRule: `${OPERATIONAL} signature.issuer is agent_id, and signature.key_id is key_id; scopes has ${scope}.`,
    ...flat,
    lifetime:
      "expires_at is after issued_at by at most 300 seconds and not over; issued_at is at most 30 seconds ahead of the server's time.",
    nonce: `${ONCE} The same bytes get the first answer again for 48 hours.`,
    operations: [operation],
  }
}

export const signedFormRules: Readonly<Record<SignedFormName, SignedFormRules>> = {
  MANDATE: {
    purpose: "The organization orders exactly one payment: this request, supplier, payee, limit and window.",
    signers: ["ORGANIZATION_MANDATE_KEY"],
    keyRule:
      "An ACTIVE mandate key of the organization, then issuer is the organization id; or an agent's ACTIVE operational key with a delegation SIGN_MANDATE, then issuer is that agent id. signature.issuer and signature.key_id repeat issuer and key_id.",
    carrier: "HTTP_REQUEST_BODY",
    valueAt: "/buyer_mandate/payload",
    leavesOut: [],
    signatureAt: ["/buyer_mandate/signature/value"],
    lifetime: "From valid_from to valid_until, and valid_until is more than ten minutes ahead when it is presented.",
    nonce: "mandate_id and nonce are new for each request; each is taken once in an organization.",
    operations: ["release_payment_to_supplier", "recover_payment_decision", "check_payment_decision_eligibility"],
  },
  DECISION_REQUEST: {
    purpose: "The agent asks for a decision on exactly this payment, under this mandate.",
    signers: ["AGENT_OPERATIONAL_KEY"],
    keyRule:
      "The ACTIVE operational key of requesting_agent.agent_id that requesting_agent.key_id names; it needs a delegation SIGN_REQUEST of the organization.",
    ...asRequest,
    lifetime: EVALUATED_AT,
    nonce: "None of its own: the mandate's nonce is in it, and idempotency_key names the request.",
    operations: ["release_payment_to_supplier", "check_payment_decision_eligibility"],
  },
  JOB_BINDING: {
    purpose: "The agent binds a Payment Decision requirement to one on-chain job.",
    signers: ["AGENT_OPERATIONAL_KEY"],
    keyRule: "The ACTIVE operational key that request.requesting_agent.key_id of the requirement names.",
    carrier: "ACP_MESSAGE",
    valueAt: null,
    leavesOut: [],
    signatureAt: ["/buyer_authorization/signature"],
    lifetime: "As long as the job waits for its final requirement.",
    nonce: "None: chain_id and on_chain_job_id name the job, which happens once.",
    operations: ["get_buyer_signing_module"],
  },
  RECOVERY: {
    purpose: "The owner of a bought Payment Decision asks for it again.",
    signers: ["AGENT_OPERATIONAL_KEY"],
    keyRule:
      "The key of the request if it is ACTIVE, else the agent's active operational key; if the identity is revoked, an ACTIVE mandate key of the organization. The service tries them, so nothing names the key.",
    carrier: "HTTP_REQUEST_BODY",
    valueAt: null,
    leavesOut: [],
    signatureAt: ["/authentication/signature"],
    lifetime: FIVE_MINUTES,
    nonce: `${ONCE} issued_at and nonce of the value are those of authentication.`,
    operations: ["recover_payment_decision"],
  },
  VENDOR_CHANGE: {
    purpose: "The agent asks, for its organization, whether a US vendor's payment details may change.",
    signers: ["AGENT_OPERATIONAL_KEY"],
    keyRule:
      "The ACTIVE operational key of requesting_agent.agent_id that requesting_agent.key_id names; it needs a delegation AUTHORIZE_DESTINATION_CHANGE of the organization.",
    ...asRequest,
    lifetime: EVALUATED_AT,
    nonce: "None: idempotency_key names the request.",
    operations: ["us_vendor_payment_detail_change_authorize", "us_vendor_payment_detail_change_authorize_eligibility"],
  },
  DELEGATION: {
    purpose: "The organization lets one agent key sign for it, with scope, limits and an end, and the agent accepts.",
    signers: ["ORGANIZATION_MANDATE_KEY", "AGENT_OPERATIONAL_KEY"],
    keyRule: `${MANDATE_KEY} The delegated key signs the same bytes: agent_acceptance.issuer is agent_id, and agent_acceptance.key_id is key_id.`,
    carrier: "HTTP_REQUEST_BODY",
    valueAt: "",
    leavesOut: ["/signature", "/agent_acceptance"],
    signatureAt: ["/signature/value", "/agent_acceptance/value"],
    lifetime: "valid_until is ahead of the server's time and at most 400 days after valid_from.",
    nonce: "nonce and idempotency_key are new for each delegation; the same bytes get the first answer again.",
    operations: ["enroll_buyer_delegation"],
  },
  DELEGATION_RECORD: byService("The service recorded a delegation.", "", UNTIL, ["enroll_buyer_delegation"]),
  DELEGATION_REVOCATION: byMandateKey("The organization ends a delegation.", {
    lifetime: FIVE_MINUTES,
    nonce: ONCE,
    operations: ["revoke_buyer_delegation"],
  }),
  MANDATE_REVOCATION: byMandateKey("The organization ends a mandate, whether or not anybody presented it.", {
    lifetime: FIVE_MINUTES,
    nonce: ONCE,
    operations: ["revoke_buyer_mandate"],
  }),
  SUPPLIER_IDENTITY: {
    ...byMandateKey("The organization says which identifiers, names and entity ids are one supplier.", {
      lifetime: "From issued_at to valid_until.",
      nonce: "A new one for each statement.",
      operations: [],
    }),
    carrier: "FILE",
  },
  REVOCATION_RECORD: byService("The service recorded a revocation.", "", NO_END, [
    "revoke_buyer_delegation",
    "revoke_buyer_mandate",
  ]),
  KEY_EVENT: {
    purpose:
      "An agent enrols, rotates or revokes its keys; the challenge that it signs is the next event of its history.",
    signers: ["AGENT_OPERATIONAL_KEY", "AGENT_RECOVERY_KEY"],
    keyRule:
      "One signature for each role in required_signatures of the challenge: OPERATIONAL and RECOVERY at enrolment, else the roles in change.authorized_by; NEW_OPERATIONAL and NEW_RECOVERY are keys that the event introduces.",
    carrier: "HTTP_RESPONSE_BODY",
    valueAt: "/challenge",
    leavesOut: [],
    signatureAt: ["/signatures/*/value"],
    lifetime: "From issued_at to expires_at, 600 seconds.",
    nonce: "The service draws it. A challenge is consumed once; the same proof gets the first answer again.",
    operations: [
      "IssueAgentIdentityChallenge",
      "ProveAgentIdentityChallenge",
      "ProveAgentIdentityChallengeByDescriptor",
    ],
  },
  EVENT_RECEIPT: byService("The service accepted a key event at a time and a place of the log.", "/receipt", NO_END, [
    "ProveAgentIdentityChallenge",
  ]),
  IDENTITY_STATUS: byService(
    "The service states the keys of an agent now.",
    "",
    "From as_of to fresh_until, 60 seconds.",
    ["GetAgentIdentityStatus", "ExportAgentIdentity"],
  ),
  SIGNATURE_STATEMENT: {
    purpose: "An agent signs the digest of any payload for one audience and one kind of action.",
    signers: ["AGENT_OPERATIONAL_KEY"],
    keyRule: OPERATIONAL,
    carrier: "HTTP_REQUEST_BODY",
    valueAt: "/statement",
    leavesOut: [],
    signatureAt: ["/signature"],
    lifetime: "From issued_at to expires_at, at most 300 seconds, with 30 seconds for two clocks.",
    nonce: "A new one for each statement. The service records it only with replay_check RECORD.",
    operations: ["VerifyAgentSignature", "RegisterAgentArtifact"],
  },
  PROOF_CAPSULE: byService("The service delivered this Payment Decision.", "/proof_capsule", UNTIL, [
    "release_payment_to_supplier",
    "recover_payment_decision",
  ]),
  ANSWER_CAPSULE: byService("The service delivered this answer of a product.", "", UNTIL, [
    "get_us_execution_proof",
    "get_gb_execution_proof",
  ]),
  COMPANY_PASSPORT: byService("What a delivered company check proved, to be shown to others.", "", UNTIL, [
    "get_us_company_passport",
  ]),
  SNAPSHOT_MANIFEST: {
    purpose: "Who carries lists to a machine without a network vouches for their files.",
    signers: ["LIST_KEY"],
    keyRule: "A key that the operator of the receiving service pinned; signature.key_id names it.",
    carrier: "FILE",
    valueAt: "",
    leavesOut: ["/signature"],
    signatureAt: ["/signature/value"],
    lifetime: "The limits of the source count from retrieved_at.",
    nonce: NO_NONCE,
    operations: [],
  },
  CAPABILITY_MANIFEST: byService(
    "The routes, products and documents of the service.",
    "",
    "From issued_at to valid_until, 24 hours.",
    ["get_rop_capability_manifest"],
  ),
  SERVICE_PROOF: byService("Program, keys, documents and log of the service at one time.", "", "60 seconds.", [
    "get_service_proof",
  ]),
  SANDBOX_ARTIFACT: bySandbox("A synthetic document of the sandbox.", "/artifacts/*"),
  SANDBOX_JOURNEY: bySandbox("The transcript of a journey through the sandbox.", ""),
  SALES_DIALOGUE: message("One turn of a sales dialogue, in codes.", "SALES_DIALOGUE", "hold_agent_dialogue"),
  SALES_DIALOGUE_RESPONSE: byService("The answer to a turn of a sales dialogue.", "", "To expires_at.", [
    "hold_agent_dialogue",
  ]),
  SALES_OFFER: byService(
    "The list price of one product for one agent, without a reservation.",
    "/payload/offers/*",
    "From valid_from to valid_until.",
    ["hold_agent_dialogue"],
  ),
  SALES_OPT_OUT: message(
    "The agent leaves sales, a product or a channel, or comes back.",
    "SALES_OPT_OUT",
    "opt_out_of_agent_sales",
  ),
  SALES_OPT_OUT_RECEIPT: byService("The service recorded an opt-out.", "/receipt", NO_END, ["opt_out_of_agent_sales"]),
  BEACON_CONSENT: message(
    "The agent consents to tell intents by code.",
    "INTENT_BEACON",
    "grant_intent_beacon_consent",
  ),
  BEACON_CONSENT_RECEIPT: byService("The service recorded a consent.", "/receipt", "To valid_until.", [
    "grant_intent_beacon_consent",
  ]),
  BEACON_REVOCATION: message("The agent ends a consent.", "INTENT_BEACON", "revoke_intent_beacon_consent"),
  BEACON_EVENT: message("The agent tells one intent by code.", "INTENT_BEACON", "accept_intent_beacon_event"),
  PLANNING_RESULT: byService("The answer of a planning route.", "", UNTIL, [
    "free_agent_preflight",
    "get_autonomous_readiness",
    "get_exact_agent_quote",
    "select_best_valid_route",
    "preview_evidence_reuse",
  ]),
  PLANNING_CONTINUATION: {
    ...byService(
      "Lets the caller complete an intent; the token is the base64url of the canonical text, a dot and the signature, and the caller gives it back as it got it.",
      "",
      "To expires_at.",
      ["get_autonomous_readiness"],
    ),
    keyRule: "The service's statement key that key_id names.",
    valueAt: "/payload/continuation/token",
    signatureAt: ["/payload/continuation/token"],
  },
  REVIEW_RECORD: {
    purpose: "A reviewer judges, approves or rejects, enrols or revokes a key, or changes how many persons must judge.",
    signers: ["REVIEWER_PASSKEY"],
    keyRule:
      "The ACTIVE passkey of the reviewer that key_id names, as a record of the kind ENROL enrolled it. It signs an assertion (WebAuthn): the challenge is the SHA-256 of the canonical text, the origin is origin, the relying party is the host of origin, and the person was present and verified. NOTE, ASSIGN and the operator's own REVOKE have no assertion.",
    carrier: "FILE",
    valueAt: "/payload/entries/*/record",
    leavesOut: [],
    signatureAt: ["/payload/entries/*/assertion/signature"],
    lifetime: "It is taken within ten minutes of recorded_at, and has no end.",
    nonce: "The service draws it. A challenge is consumed once.",
    operations: [],
  },
  REVIEW_EXPORT: {
    ...byService("The records of reviewers, with their assertions and their places in the log.", "", NO_END, []),
    carrier: "FILE",
  },
}
