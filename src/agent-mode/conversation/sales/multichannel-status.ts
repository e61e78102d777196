/** The public state of the channels. */
import { CHANNELS, type Channel } from "../../../../schemas/agent-mode/channels.ts"
import type { ChannelStatus, MultichannelStatus } from "../../../../schemas/agent-mode/multichannel-status.ts"
import { canonicalBytes } from "../../../core/canonical-json.ts"
import { formatInstant, SECOND } from "../../../core/time.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { conditional } from "../../../http/conditional.ts"
import { type ScopeState, scopeStates } from "../../../store/agent-mode/sales-switches.ts"
import { CONTRACT, NO_EFFECTS } from "../../answer-members.ts"
import type { AgentSalesDeps } from "../../deps.ts"
import type { ServedCatalogue } from "../../served-catalogue.ts"
import { channelState, isExternal, nextChange } from "./channels.ts"

const SLOT_MS = 30 * SECOND

export const DOCUMENT_HEADERS = Object.freeze({
  "content-type": "application/json",
  "cache-control": "public, max-age=30",
})

export async function replyChannels(
  { store, isOn }: AgentSalesDeps,
  catalogue: ServedCatalogue,
  { headers, at }: Call<null>,
): Promise<Reply> {
  const asOf = at - (at % SLOT_MS)
  const states = await store.readTogether(() => scopeStates(["ALL", ...CHANNELS]))
  const { isStopped: isAllStopped } = states.get("ALL") ?? NEVER_SWITCHED
  const channels = CHANNELS.map((channel) =>
    channelStatus(channel, states.get(channel) ?? NEVER_SWITCHED, {
      isAllStopped,
      isServed: catalogue.channels.has(channel),
      at: asOf,
    }),
  )
  const body: MultichannelStatus = {
    ...CONTRACT,
    as_of: formatInstant(asOf),
    sales: { state: isOn.sales && !isAllStopped ? "ACTIVE" : "STOPPED" },
    channels,
    contact_coordinates_exposed: false,
    effects: NO_EFFECTS,
    limitations: ["FIRST_PARTY_STATE_ONLY", "NO_INDEXING_CLAIM", "NO_CONTACT_COORDINATE"],
    next_machine_action: "USE_ACTIVE_CHANNEL",
  }
  return conditional(headers, canonicalBytes(body), DOCUMENT_HEADERS)
}

const NEVER_SWITCHED: ScopeState = { isStopped: false, window: null }

interface Around {
  readonly isAllStopped: boolean
  readonly isServed: boolean
  readonly at: number
}

function channelStatus(
  channel: Channel,
  { isStopped: isOwnStopped, window }: ScopeState,
  { isAllStopped, isServed, at }: Around,
): ChannelStatus {
  const isStopped = isOwnStopped || isAllStopped
  const external = isExternal(channel)
  return {
    channel_id: channel,
    kind: external ? "EXTERNAL_INDEX" : "FIRST_PARTY",
    state: channelState(channel, { isServed, isStopped, window }, at),
    schedule: window
      ? { mode: "DAILY_WINDOW", ...window, next_change_at: formatInstant(nextChange(window, at)) }
      : { mode: "ALWAYS", opens: null, closes: null, next_change_at: null },
    kill_switch: isStopped,
    proof: external ? "REQUIRES_INDEPENDENT_EXTERNAL_PROOF" : "FIRST_PARTY",
  }
}
