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
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import { replyConsent } from "./beacon/consent.ts"
import { replyEvent } from "./beacon/event.ts"
import { replyIdentityAdoption } from "./beacon/identity-adoption.ts"
import { replyRevocation } from "./beacon/revocation.ts"
import type { AgentSalesDeps } from "./deps.ts"
import { requireNoPaymentHeader } from "./request-guards.ts"
import { replyDialogue } from "./sales/hold-dialogue.ts"
import { replyChannels } from "./sales/multichannel-status.ts"
import { replyOfferStatus } from "./sales/offer-status.ts"
import { replyOptOut } from "./sales/opt-out.ts"
import { ServedCatalogue } from "./served-catalogue.ts"

const GUARDS = { guard: requireNoPaymentHeader }

export function agentSales(deps: AgentSalesDeps): readonly Route[] {
  const { shell } = deps
  const catalogue = new ServedCatalogue(deps.catalogue)
  const adoption = replyIdentityAdoption(deps)
  return [
    serve(shell, getMultichannelStatus, (call) => replyChannels(deps, catalogue, call), GUARDS),
    serve(shell, getIdentityAdoption, adoption, GUARDS),
    serve(shell, holdDialogue, (call) => replyDialogue(deps, catalogue, call), GUARDS),
    serve(shell, grantBeaconConsent, (call) => replyConsent(deps, call), GUARDS),
    serve(shell, revokeBeaconConsent, (call) => replyRevocation(deps, call), GUARDS),
    serve(shell, acceptBeaconEvent, (call) => replyEvent(deps, catalogue, call), GUARDS),
    serve(shell, optOutOfSales, (call) => replyOptOut(deps, catalogue, call), GUARDS),
    serve(shell, getOfferStatus, (call) => replyOfferStatus(deps, call), GUARDS),
  ]
}
