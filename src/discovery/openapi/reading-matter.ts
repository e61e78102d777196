/**
 * Replies that a caller reads rather than computes with.
 *
 * CHOICE: the document names their members without the members of those. Of a form that another specification publishes it has the link.
 * Everything else about such a reply is in the reply itself.
 */
import type { TObject, TSchema } from "@sinclair/typebox"
import { KeyControlClaim } from "../../../schemas/agent-id/claim.ts"
import {
  AgentIdBootstrap,
  AgentIdChannelBootstrap,
  AgentIdDescriptor,
  AgentIdInvitationBootstrap,
} from "../../../schemas/agent-id/descriptor.ts"
import { LogDescriptor } from "../../../schemas/agent-id/log.ts"
import { POSTMAN_SCHEMA, PostmanCollection } from "../../../schemas/agent-id/postman.ts"
import { AgentCard } from "../../../schemas/discovery/agent-card.ts"
import { AiCatalog } from "../../../schemas/discovery/ai-catalog.ts"
import { McpServerCard, SERVER_CARD_SCHEMA } from "../../../schemas/discovery/server-card.ts"

const PUBLISHED: ReadonlyMap<TSchema, string> = new Map<TSchema, string>([
  [AgentCard, "https://a2a-protocol.org/v1.0.0/specification/"],
  [AiCatalog, "https://github.com/Agent-Card/ai-catalog"],
  [McpServerCard, SERVER_CARD_SCHEMA],
  [PostmanCollection, POSTMAN_SCHEMA],
])

const DESCRIPTIONS: ReadonlySet<TSchema> = new Set<TSchema>([
  AgentIdBootstrap,
  AgentIdChannelBootstrap,
  AgentIdDescriptor,
  AgentIdInvitationBootstrap,
  KeyControlClaim,
  LogDescriptor,
])

/** Returns the shorter schema of a reply that is only read, or the schema itself. */
export function shortened<T extends TSchema>(schema: T): T {
  const { $id } = schema
  const url = PUBLISHED.get(schema)
  if (url !== undefined) return printed({ $id, type: "object", externalDocs: { url } })
  if (!DESCRIPTIONS.has(schema)) return schema
  const members = Object.entries((schema as unknown as TObject).properties).map(([name, member]) => {
    const { type, description } = member
    const isDeep = type === "object" || type === "array"
    return [name, isDeep ? { type, ...(description && { description }) } : member]
  })
  return printed({ ...schema, properties: Object.fromEntries(members) })
}

function printed<T extends TSchema>(schema: object): T {
  return schema as T
}
