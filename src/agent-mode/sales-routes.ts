/** The routes of agent sales and the Intent Beacon. */
import {
  acceptBeaconEvent,
  grantBeaconConsent,
  revokeBeaconConsent,
} from "../../schemas/agent-mode/beacon-operations.ts"
import {
  getIdentityAdoption,
  getMultichannelStatus,
  getOfferStatus,
  holdDialogue,
  optOutOfSales,
} from "../../schemas/agent-mode/sales-operations.ts"
import { loadedAtFirstUse } from "../core/at-first-use.ts"
import type { Route } from "../http/route.ts"
import { serve } from "../http/serve.ts"
import type { AgentSalesDeps } from "./deps.ts"
import { requireNoPaymentHeader } from "./request-guards.ts"

const GUARDS = { guard: requireNoPaymentHeader }

export function agentSales(deps: AgentSalesDeps): readonly Route[] {
  const { shell } = deps
  const replies = loadedAtFirstUse(async () => (await import("./sales-replies.ts")).salesReplies(deps))
  return [
    serve(shell, getMultichannelStatus, replies("channels"), GUARDS),
    serve(shell, getIdentityAdoption, replies("adoption"), GUARDS),
    serve(shell, holdDialogue, replies("dialogue"), GUARDS),
    serve(shell, grantBeaconConsent, replies("consent"), GUARDS),
    serve(shell, revokeBeaconConsent, replies("revocation"), GUARDS),
    serve(shell, acceptBeaconEvent, replies("event"), GUARDS),
    serve(shell, optOutOfSales, replies("optOut"), GUARDS),
    serve(shell, getOfferStatus, replies("offerStatus"), GUARDS),
  ]
}
