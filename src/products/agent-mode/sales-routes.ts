/** The eight routes of agent sales and the Intent Beacon. */
import {
  acceptBeaconEvent,
  grantBeaconConsent,
  revokeBeaconConsent,
} from "../../../schemas/agent-mode/beacon-operations.ts"
import {
  getIdentityAdoption,
  getMultichannelStatus,
  getOfferStatus,
  holdDialogue,
  optOutOfSales,
} from "../../../schemas/agent-mode/sales-operations.ts"
import { atFirstUse } from "../../core/at-first-use.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import type { AgentSalesDeps } from "./deps.ts"
import { requireNoPaymentHeader } from "./request-guards.ts"

const GUARDS = { guard: requireNoPaymentHeader }

export function agentSales(deps: AgentSalesDeps): readonly Route[] {
  const { shell } = deps
  const replies = atFirstUse(async () => (await import("./sales-replies.ts")).salesReplies(deps))
  return [
    serve(shell, getMultichannelStatus, async (call) => (await replies()).channels(call), GUARDS),
    serve(shell, getIdentityAdoption, async (call) => (await replies()).adoption(call), GUARDS),
    serve(shell, holdDialogue, async (call) => (await replies()).dialogue(call), GUARDS),
    serve(shell, grantBeaconConsent, async (call) => (await replies()).consent(call), GUARDS),
    serve(shell, revokeBeaconConsent, async (call) => (await replies()).revocation(call), GUARDS),
    serve(shell, acceptBeaconEvent, async (call) => (await replies()).event(call), GUARDS),
    serve(shell, optOutOfSales, async (call) => (await replies()).optOut(call), GUARDS),
    serve(shell, getOfferStatus, async (call) => (await replies()).offerStatus(call), GUARDS),
  ]
}
