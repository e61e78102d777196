/** Tells an agent what the free identity is and what the Beacon takes. Neither is needed for anything else. */
import {
  BEACON_POLICY_VERSION,
  EVENT_KINDS,
  EVENTS_PER_DAY_MAX,
  RETAINED,
} from "../../../../schemas/agent-mode/beacon.ts"
import {
  acceptBeaconEvent,
  grantBeaconConsent,
  revokeBeaconConsent,
} from "../../../../schemas/agent-mode/beacon-operations.ts"
import { CONSENT_DAYS_MAX, type IdentityAdoption } from "../../../../schemas/agent-mode/identity-adoption.ts"
import { canonicalBytes } from "../../../core/canonical-json.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { heldDocument, heldOnFirstRequest } from "../../../http/conditional.ts"
import { CONTRACT, NO_EFFECTS } from "../../answer-members.ts"
import type { AgentSalesDeps } from "../../deps.ts"
import { DOCUMENT_HEADERS } from "../sales/multichannel-status.ts"
import { beaconStop } from "../sales/stops.ts"

type Held = (request: Headers) => Reply

/** The document has two forms, each printed once. */
export function replyIdentityAdoption(deps: AgentSalesDeps): (call: Call<null>) => Promise<Reply> {
  const held = (enabled: boolean): Held =>
    heldOnFirstRequest(() => heldDocument(canonicalBytes(documentOf(deps, enabled)), DOCUMENT_HEADERS))
  const [on, off] = [held(true), held(false)]
  return async ({ headers }) => {
    const stopped = await deps.store.readTogether(() => beaconStop(deps.isOn.beacon, null, true))
    return (stopped ? off : on)(headers)
  }
}

function documentOf({ identity, baseUrl }: AgentSalesDeps, enabled: boolean): IdentityAdoption {
  const { product_id, solution_id, price, claim, enrollment, limitations } = identity()
  const origin = baseUrl()
  return {
    ...CONTRACT,
    identity: { product_id, solution_id, price, claim, enrollment, limitations },
    beacon: {
      default: "OFF",
      enabled,
      consent_required: true,
      policy_version: BEACON_POLICY_VERSION,
      event_kinds: [...EVENT_KINDS],
      retained: [...RETAINED],
      validity_days_max: CONSENT_DAYS_MAX,
      events_per_day_max: EVENTS_PER_DAY_MAX,
      content_accepted: false,
      routes: {
        consent: `${origin}${grantBeaconConsent.path}`,
        revoke: `${origin}${revokeBeaconConsent.path}`,
        event: `${origin}${acceptBeaconEvent.path}`,
      },
    },
    adoption_required: false,
    effects: NO_EFFECTS,
    limitations: [...limitations],
    next_machine_action: "ENROLL_OR_CONTINUE_WITHOUT",
  }
}
