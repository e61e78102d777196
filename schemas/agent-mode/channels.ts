/** The twenty channels through which agents come (Interface, "Agent sales and Intent Beacon"). */
import { type Static, Type } from "@sinclair/typebox"
import { enumeration } from "../common.ts"

/** CHOICE: the interface counts the channels and does not name them. */
const FIRST_PARTY_CHANNELS = [
  "http-api",
  "openapi",
  "mcp",
  "mcp-server-card",
  "a2a",
  "agent-card",
  "ai-catalog",
  "agent-map",
  "intent-catalog",
  "capability-manifest",
  "llms-text",
  "postman",
  "x402-extension",
  "agent-id-invitation",
  "planning",
  "sales-dialogue",
  "acp-job",
  "contact-mailbox",
] as const

/** Indexes of others. Only their own records could prove that the service is listed there. */
export const EXTERNAL_CHANNELS = ["external-mcp-registry", "external-agent-directory"] as const

export const CHANNELS = [...FIRST_PARTY_CHANNELS, ...EXTERNAL_CHANNELS] as const
export const Channel = enumeration(...CHANNELS)
export type Channel = Static<typeof Channel>

/** STOPPED: by the operator. UNPROVEN: an index of others. INACTIVE: not served here. PAUSED: outside its daily window. */
export const ChannelState = enumeration("STOPPED", "UNPROVEN", "INACTIVE", "PAUSED", "ACTIVE")
export type ChannelState = Static<typeof ChannelState>

/** A minute of the day in UTC. */
export const MinuteOfDay = Type.String({ pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" })
