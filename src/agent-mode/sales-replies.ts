/** What answers each request to agent sales and the Intent Beacon. */
import type {
  acceptBeaconEvent,
  grantBeaconConsent,
  revokeBeaconConsent,
} from "../../schemas/agent-mode/beacon-operations.ts"
import type { holdDialogue, optOutOfSales } from "../../schemas/agent-mode/sales-operations.ts"
import type { BodyOf } from "../../schemas/operation.ts"
import { aboutForm } from "../http/about-form.ts"
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
    dialogue: aboutForm<BodyOf<typeof holdDialogue>>("SALES_DIALOGUE", (call) => replyDialogue(deps, catalogue, call)),
    consent: aboutForm<BodyOf<typeof grantBeaconConsent>>("BEACON_CONSENT", (call) => replyConsent(deps, call)),
    revocation: aboutForm<BodyOf<typeof revokeBeaconConsent>>("BEACON_REVOCATION", (call) =>
      replyRevocation(deps, call),
    ),
    event: aboutForm<BodyOf<typeof acceptBeaconEvent>>("BEACON_EVENT", (call) => replyEvent(deps, catalogue, call)),
    optOut: aboutForm<BodyOf<typeof optOutOfSales>>("SALES_OPT_OUT", (call) => replyOptOut(deps, catalogue, call)),
    offerStatus: (call: Call<null>) => replyOfferStatus(deps, call),
  }
}
