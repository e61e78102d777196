import type { ExternalIndexChannel } from "../../schemas/discovery/document-members.ts"

/** CHOICE: the kinds of indexes in which an agent may look for this service. No document says that the service is listed in one. */
const CHANNELS = ["MCP_REGISTRY", "A2A_REGISTRY", "X402_BAZAAR", "API_DIRECTORY", "SEARCH_ENGINE"]

export function externalChannels(): ExternalIndexChannel[] {
  return CHANNELS.map((channel) => ({ channel, proof: "REQUIRES_INDEPENDENT_EXTERNAL_PROOF" }))
}
