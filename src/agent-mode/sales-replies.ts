/** What answers each request to agent sales and the Intent Beacon. */
import type {
  acceptBeaconEvent,
  grantBeaconConsent,
  revokeBeaconConsent,
} from "../../schemas/agent-mode/beacon-operations.ts"
import type { holdDialogue, optOutOfSales } from "../../schemas/agent-mode/sales-operations.ts"
import type { BodyOf } from "../../schemas/operation.ts"
import type { Call } from "../http/call.ts"
import { replyConsent } from "./conversation/beacon/consent.ts"
import { replyEvent } from "./conversation/beacon/event.ts"
import { replyIdentityAdoption } from "./conversation/beacon/identity-adoption.ts"
import { replyRevocation } from "./conversation/beacon/revocation.ts"
import { replyDialogue } from "./conversation/sales/hold-dialogue.ts"
import { replyChannels } from "./conversation/sales/multichannel-status.ts"
import { replyOfferStatus } from "./conversation/sales/offer-status.ts"
import { replyOptOut } from "./conversation/sales/opt-out.ts"
import type { AgentSalesDeps } from "./deps.ts"
import { ServedCatalogue } from "./served-catalogue.ts"

export function salesReplies(deps: AgentSalesDeps) {
  const catalogue = new ServedCatalogue(deps.catalogue)
  return {
    channels: (call: Call<null>) => replyChannels(deps, catalogue, call),
    adoption: replyIdentityAdoption(deps),
    dialogue: (call: Call<BodyOf<typeof holdDialogue>>) => replyDialogue(deps, catalogue, call),
    consent: (call: Call<BodyOf<typeof grantBeaconConsent>>) => replyConsent(deps, call),
    revocation: (call: Call<BodyOf<typeof revokeBeaconConsent>>) => replyRevocation(deps, call),
    event: (call: Call<BodyOf<typeof acceptBeaconEvent>>) => replyEvent(deps, catalogue, call),
    optOut: (call: Call<BodyOf<typeof optOutOfSales>>) => replyOptOut(deps, catalogue, call),
    offerStatus: (call: Call<null>) => replyOfferStatus(deps, call),
  }
}
