/** State and schedule of the twenty channels. No address of a person or mailbox is in it. */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, enumeration } from "../common.ts"
import { CHANNELS, Channel, ChannelState, MinuteOfDay } from "./channels.ts"
import { contractMembers, endMembers } from "./notation.ts"

const Minute = Type.Union([MinuteOfDay, Type.Null()])

/** Times of the schedule are UTC. `next_change_at`: when the window next opens or closes; null without a window. */
const ChannelSchedule = closed({
  mode: enumeration("ALWAYS", "DAILY_WINDOW"),
  opens: Minute,
  closes: Minute,
  next_change_at: Type.Union([DateTime, Type.Null()]),
})

const ChannelStatus = closed({
  channel_id: Channel,
  kind: enumeration("FIRST_PARTY", "EXTERNAL_INDEX"),
  state: ChannelState,
  schedule: ChannelSchedule,
  kill_switch: Type.Boolean({ description: "The operator stopped this channel, or all of them" }),
  proof: enumeration("FIRST_PARTY", "REQUIRES_INDEPENDENT_EXTERNAL_PROOF"),
})
export type ChannelStatus = Static<typeof ChannelStatus>

export const MultichannelStatus = closed(
  {
    ...contractMembers,
    as_of: DateTime,
    sales: closed({ state: enumeration("ACTIVE", "STOPPED") }),
    channels: Type.Array(ChannelStatus, { minItems: CHANNELS.length, maxItems: CHANNELS.length }),
    contact_coordinates_exposed: Type.Literal(false),
    ...endMembers,
  },
  { $id: "MultichannelStatus" },
)
export type MultichannelStatus = Static<typeof MultichannelStatus>
