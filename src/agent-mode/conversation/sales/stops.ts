/** Refusals by the operator's switches and schedules, and by the agent's own opt-outs. All are read in the acting unit. */
import type { Channel } from "../../../../schemas/agent-mode/channels.ts"
import { DAY, SECOND, waitSeconds } from "../../../core/time.ts"
import { hasOptedOut, isOptedOut } from "../../../store/agent-mode/sales-opt-outs.ts"
import { isStopped, windowOf } from "../../../store/agent-mode/sales-switches.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { type Refusal, refusal } from "../messages/refusal.ts"
import { channelState, nextChange } from "./channels.ts"

const stopped = (reason: string, detail: string) => refusal("KILL_SWITCH_ACTIVE", reason, detail)

/** Sales are off by setting, or stopped as a whole, or for this channel. */
export function* salesStop(isOn: boolean, channel: Channel): Unit<Refusal | null> {
  if (!isOn) return stopped("SALES_OFF", "The operator has switched agent sales off.")
  return (yield* wholeStop()) ?? (yield* channelStop(channel))
}

/**
 * `hasSwitches`: false if the operator has never switched anything. CHOICE: what stops all sales also stops the Beacon: a whole kill switch
 * leaves nothing running. `channel` null: none is named.
 */
export function* beaconStop(isOn: boolean, channel: Channel | null, hasSwitches: boolean): Unit<Refusal | null> {
  if (!isOn) return stopped("BEACON_OFF", "The operator has not switched the Intent Beacon on.")
  if (!hasSwitches) return null
  const whole = yield* wholeStop()
  if (whole) return whole
  if (yield* isStopped("BEACON")) return stopped("BEACON_STOPPED", "The operator has stopped the Intent Beacon.")
  return channel === null ? null : yield* channelStop(channel)
}

function* wholeStop(): Unit<Refusal | null> {
  return (yield* isStopped("ALL")) ? stopped("SALES_STOPPED", "The operator has stopped agent sales.") : null
}

function* channelStop(channel: Channel): Unit<Refusal | null> {
  return (yield* isStopped(channel)) ? stopped("CHANNEL_STOPPED", "The operator has stopped this channel.") : null
}

/** `channel` and `product` null: none is named. */
export function* optOutRefusal(agentId: string, channel: Channel | null, product: string | null): Unit<Refusal | null> {
  if (!(yield* hasOptedOut(agentId))) return null
  const left = (reason: string, detail: string) => refusal("OPTED_OUT", reason, detail)
  if (yield* isOptedOut({ agentId, scope: "ALL", value: "" })) {
    return left("OPTED_OUT_OF_ALL", "This agent opted out. Only its own OPT_IN undoes that.")
  }
  if (channel !== null && (yield* isOptedOut({ agentId, scope: "CHANNEL", value: channel }))) {
    return left("OPTED_OUT_OF_CHANNEL", "This agent opted out of the channel.")
  }
  if (product !== null && (yield* isOptedOut({ agentId, scope: "PRODUCT", value: product }))) {
    return left("OPTED_OUT_OF_PRODUCT", "This agent opted out of the product.")
  }
  return null
}

/** The channel is not ACTIVE. A stopped one is refused before, by its switch. `hasSwitches`: false if none has ever been scheduled. */
export function* channelRefusal(
  channel: Channel,
  served: ReadonlySet<Channel>,
  at: number,
  hasSwitches: boolean,
): Unit<Refusal | null> {
  const window = hasSwitches ? yield* windowOf(channel) : null
  const state = channelState(channel, { isServed: served.has(channel), isStopped: false, window }, at)
  if (state === "ACTIVE") return null
  return {
    ...refusal("CHANNEL_NOT_ALLOWED", `CHANNEL_${state}`, "The channel does not take messages now."),
    ...(state === "PAUSED" && window && { retryAfterSeconds: waitSeconds(nextChange(window, at), at, DAY / SECOND) }),
  }
}
