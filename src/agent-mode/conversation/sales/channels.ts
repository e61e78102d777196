/** The twenty channels as data, and the state of each. */
import {
  CHANNELS,
  type Channel,
  type ChannelState,
  EXTERNAL_CHANNELS,
} from "../../../../schemas/agent-mode/channels.ts"
import type { Operation } from "../../../../schemas/operation.ts"
import { DAY, MINUTE } from "../../../core/time.ts"
import type { DailyWindow } from "../../../store/agent-mode/sales-switches.ts"

type FirstParty = Exclude<Channel, (typeof EXTERNAL_CHANNELS)[number]>

/** Matches the paths that serve a channel. A channel is INACTIVE while the service serves none of them. Null: no path can serve it. */
const SERVED_BY: Readonly<Record<FirstParty, RegExp | null>> = {
  "http-api": /^\/v1\//,
  openapi: /^\/v1\/openapi\.json$/,
  mcp: /^\/v1\/agent\/mcp$/,
  "mcp-server-card": /^\/\.well-known\/mcp\/server-card\.json$/,
  a2a: /^\/v1\/agent\/a2a$/,
  "agent-card": /^\/\.well-known\/agent-card\.json$/,
  "ai-catalog": /^\/\.well-known\/ai-catalog\.json$/,
  "agent-map": /^\/\.well-known\/agent-map\.json$/,
  "intent-catalog": /^\/\.well-known\/svc-intents\.json$/,
  "capability-manifest": /^\/\.well-known\/svc-capabilities\.json$/,
  "llms-text": /^\/llms\.txt$/,
  postman: /^\/v1\/agent-id\/postman-collection$/,
  "x402-extension": /^\/v1\/(us\/payments\/authorize|gb\/payments\/authorize)$/,
  "agent-id-invitation": /^\/v1\/agent-id\/invitations\/\{reference\}$/,
  planning: /^\/v1\/agent-mode\/preflight$/,
  "sales-dialogue": /^\/v1\/agent-mode\/sales\/dialogue$/,
  // Jobs come over the chain, not over a path.
  "acp-job": null,
  // Messages come to a mailbox, not to a path.
  "contact-mailbox": null,
}

export function isExternal(channel: Channel): boolean {
  return EXTERNAL_CHANNELS.some((external) => external === channel)
}

/** What the service serves beside its paths. */
interface ServedBeside {
  readonly jobs: boolean
  readonly mailbox: boolean
}

/** The channels that these rows serve, and those beside the paths. */
export function servedChannels(
  operations: readonly Pick<Operation, "path">[],
  beside: ServedBeside,
): ReadonlySet<Channel> {
  return new Set(
    CHANNELS.filter((channel) => {
      if (isExternal(channel)) return false
      if (channel === "acp-job") return beside.jobs
      if (channel === "contact-mailbox") return beside.mailbox
      const pattern = SERVED_BY[channel as FirstParty]
      return pattern !== null && operations.some(({ path }) => pattern.test(path))
    }),
  )
}

interface ChannelFacts {
  readonly isServed: boolean
  readonly isStopped: boolean
  /** Null: always open. */
  readonly window: DailyWindow | null
}

/** `at` in milliseconds. */
export function channelState(
  channel: Channel,
  { isServed, isStopped, window }: ChannelFacts,
  at: number,
): ChannelState {
  if (isStopped) return "STOPPED"
  if (isExternal(channel)) return "UNPROVEN"
  if (!isServed) return "INACTIVE"
  return window === null || isOpen(window, at) ? "ACTIVE" : "PAUSED"
}

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
const minuteOfDay = (at: number) => Math.floor((at % DAY) / MINUTE)

/** A window that closes before it opens lasts over midnight. */
function isOpen({ opens, closes }: DailyWindow, at: number): boolean {
  const [from, to, now] = [minutesOf(opens), minutesOf(closes), minuteOfDay(at)]
  return from < to ? now >= from && now < to : now >= from || now < to
}

/** When the window opens or closes next, in milliseconds. */
export function nextChange(window: DailyWindow, at: number): number {
  const midnight = at - (at % DAY)
  const minute = minutesOf(isOpen(window, at) ? window.closes : window.opens)
  const today = midnight + minute * MINUTE
  return today > at ? today : today + DAY
}
