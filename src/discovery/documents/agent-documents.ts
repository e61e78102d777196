import {
  getAgentCard,
  getAgentMap,
  getAiCatalog,
  getMcpEndpointCard,
  getMcpServerCard,
  getSvcIntents,
} from "../../../schemas/discovery/documents.ts"
import type { DocumentRow } from "../parts.ts"
import { agentCard } from "./agent-card.ts"
import { agentMap } from "./agent-map.ts"
import { aiCatalog } from "./ai-catalog.ts"
import { mcpServerCard } from "./mcp-server-card.ts"
import { svcIntents } from "./svc-intents.ts"

/** The documents by which an agent finds a route, an endpoint or another document. */
export const AGENT_DOCUMENTS: readonly DocumentRow[] = [
  { operation: getSvcIntents, print: svcIntents },
  { operation: getAiCatalog, print: aiCatalog },
  { operation: getAgentCard, sign: agentCard },
  { operation: getMcpServerCard, print: mcpServerCard },
  { operation: getMcpEndpointCard, print: mcpServerCard },
  { operation: getAgentMap, print: agentMap },
]
