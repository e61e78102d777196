/** The routes of agent sales (Interface, "Agent sales and Intent Beacon"). */
import type { TSchema } from "@sinclair/typebox"
import { FREE, operation, type RateLimit } from "../operation.ts"
import { problem } from "../problem.ts"
import { AgentDialogueResponse, SignedAgentDialogue } from "./dialogue.ts"
import { dialogueExample, optOutExample } from "./example-bodies.ts"
import { IdentityAdoption } from "./identity-adoption.ts"
import { MultichannelStatus } from "./multichannel-status.ts"
import { ACTIVE_HEADERS, CallerId } from "./notation.ts"
import { OfferStatus } from "./offer.ts"
import { AgentSalesOptOutResult, SignedAgentSalesOptOut } from "./opt-out.ts"

const SALES = "/v1/agent-mode/sales"

/** Rejections of every route with a signed message. */
export const MESSAGE_PROBLEMS = {
  401: problem("Signature, key or scope is not accepted"),
  409: problem("Switched off, opted out, no consent, outside policy or channel, used before, or out of turn"),
  422: problem("Closed schema, times of the message, private key or payment header"),
  429: problem("Too many requests from this address, or too many turns today"),
  503: problem("The store is unavailable; nothing was recorded"),
} as const

/** Its own budget, so that other calls from an address never delay leaving. */
export const LEAVING: RateLimit = { group: "agent-mode-leaving", perMinute: 30 }

/** A POST with a signed message. Nothing is charged, and any origin but the caller's own is shut out. */
export const messageRow = <const Body extends TSchema>(body: Body) =>
  ({
    method: "POST",
    body,
    ...FREE,
    headers: ACTIVE_HEADERS,
    cors: "NONE",
    bankData: "REFUSED",
    tool: "WRITE",
  }) as const

const document = {
  method: "GET",
  body: undefined,
  ...FREE,
  headers: ACTIVE_HEADERS,
  cors: "PUBLIC",
  rateLimit: { group: "agent-mode-documents", perMinute: 600 },
  tool: "READ",
} as const
const documentProblems = {
  422: problem("A payment header"),
} as const
const unchanged = { description: "Unchanged since the ETag sent" }

export const getMultichannelStatus = operation({
  ...document,
  id: "get_multichannel_status",
  path: `${SALES}/multichannel/status`,
  summary: "State and schedule of the twenty channels through which agents come; no contact coordinate",
  responses: {
    200: { description: "Channels", schema: MultichannelStatus },
    304: unchanged,
    ...documentProblems,
    503: problem("The store is unavailable"),
  },
})

export const getIdentityAdoption = operation({
  ...document,
  id: "get_identity_adoption",
  path: "/v1/agent-mode/identity-adoption",
  summary: "The free Agent ID, and the Intent Beacon that is off until an agent consents",
  responses: {
    200: { description: "Identity and Beacon", schema: IdentityAdoption },
    304: unchanged,
    ...documentProblems,
    503: problem("The store is unavailable"),
  },
})

export const holdDialogue = operation({
  ...messageRow(SignedAgentDialogue),
  exampleBody: dialogueExample,
  id: "hold_agent_dialogue",
  path: `${SALES}/dialogue`,
  summary:
    "One signed turn of a sales dialogue in codes; the signed answer comes from the catalogue and may carry offers",
  responses: { 200: { description: "Signed answer", schema: AgentDialogueResponse }, ...MESSAGE_PROBLEMS },
  rateLimit: { group: "agent-mode-dialogue", perMinute: 30 },
})

export const optOutOfSales = operation({
  ...messageRow(SignedAgentSalesOptOut),
  exampleBody: optOutExample,
  id: "opt_out_of_agent_sales",
  path: `${SALES}/opt-out`,
  summary: "Leave sales, a product or a channel, effective when the service responds; or come back",
  responses: { 200: { description: "Recorded", schema: AgentSalesOptOutResult }, ...MESSAGE_PROBLEMS },
  rateLimit: LEAVING,
})

export const getOfferStatus = operation({
  id: "get_sales_offer_status",
  method: "GET",
  path: `${SALES}/offers/{offerCapsuleId}/status`,
  summary: "How far an offer came: queued, retrying, delivered or paid",
  parameters: { offerCapsuleId: CallerId },
  body: undefined,
  responses: {
    200: { description: "State of the offer", schema: OfferStatus },
    404: problem("No such offer, or it ended more than 90 days ago"),
    ...documentProblems,
    503: problem("The store is unavailable"),
  },
  ...FREE,
  headers: ACTIVE_HEADERS,
  cors: "NONE",
  rateLimit: { group: "agent-mode-offers", perMinute: 120 },
  tool: "READ",
})
