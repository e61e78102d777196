import type { AgentIdChannelBootstrap } from "../../../schemas/agent-id/descriptor.ts"
import { ServiceError } from "../../base/errors.ts"
import { bugFields, type Log } from "../../base/log.ts"
import { atFirstUse } from "../../core/at-first-use.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { formatInstant } from "../../core/time.ts"
import type { Call, Reply } from "../../http/call.ts"
import { conditional } from "../../http/conditional.ts"
import type { Store } from "../../store/engine/unit.ts"
import { recordChannelEntry } from "../../store/identity/channel-entries.ts"
import { agentIdBootstrap, type DescriptorParts } from "./descriptor.ts"

interface ChannelDeps {
  readonly store: Store
  readonly log: Log
  readonly parts: DescriptorParts
  /** Configuration `agent_id_channels`. */
  readonly channels: readonly string[]
}

/** A cache may store the reply but must revalidate it. Otherwise openings that the cache serves would not be counted. */
const HEADERS = { "content-type": "application/json", "cache-control": "public, no-cache" }

/**
 * Returns the bootstrap of a channel and counts the opening by channel and UTC day, without an address. The count is a first-party fact:
 * anybody can open the link, so it never proves that an agent found the service by itself. If the count cannot be stored, the reply says
 * so, and the agent can still enrol.
 */
export function channelBootstrap({ store, log, parts, channels }: ChannelDeps): (call: Call<null>) => Promise<Reply> {
  const bootstrap = agentIdBootstrap(parts)
  const bytesOf = (channel: string, recorded: boolean) => {
    const entry = { channel, recorded, first_party: true, independent_discovery_proof: false } as const
    return canonicalBytes({ ...bootstrap, channel_entry: entry } satisfies AgentIdChannelBootstrap)
  }
  const documents = atFirstUse(
    () =>
      new Map(
        channels.map((channel) => [channel, { recorded: bytesOf(channel, true), unrecorded: bytesOf(channel, false) }]),
      ),
  )
  const known = `The channels of this service are ${channels.join(", ")}.`
  return async (call) => {
    const { params, headers, at } = call
    const channel = params["channel"] ?? ""
    const document = documents().get(channel)
    if (!document) throw new ServiceError("NOT_FOUND", known)
    // Below the floor of free writes the opening is not counted.
    const recorded =
      call.writer().hasSpace && (await recordedEntry(store, log, { channel, day: formatInstant(at).slice(0, 10) }))
    const reply = conditional(headers, recorded ? document.recorded : document.unrecorded, HEADERS)
    return { ...reply, note: { channel, recorded } }
  }
}

async function recordedEntry(store: Store, log: Log, entry: { channel: string; day: string }): Promise<boolean> {
  try {
    await store.run(() => recordChannelEntry(entry))
    return true
  } catch (error) {
    log.error("channel_entry_not_recorded", bugFields(error))
    return false
  }
}
