import { AGENT_A2A_PATH } from "../../../schemas/discovery/a2a.ts"
import type { AgentCard, AgentSkill } from "../../../schemas/discovery/agent-card.ts"
import { getServiceJwks } from "../../../schemas/discovery/jwks.ts"
import { detachedJws } from "../detached-jws.ts"
import { intentsOf } from "../intents-of.ts"
import { documentUri, servedAt } from "../links.ts"
import type { SignedParts } from "../parts.ts"
import { type Subject, subjects } from "../subjects.ts"

const JSON_MODE = "application/json"

/** Prints the signed card. Throws if the A2A endpoint is not served: a card without an interface is not valid. */
export function agentCard(parts: SignedParts): AgentCard {
  const { baseUrl, issuerName, operations, signer, version } = parts
  if (!servedAt(parts, "POST", AGENT_A2A_PATH)) throw new Error("the agent card needs the A2A endpoint")
  const website = documentUri(parts, "/")
  const documentation = documentUri(parts, "/v1/openapi.json")
  const card = {
    name: "Business Authorization Service",
    description:
      "Verifiable business-authorization answers for agents, and a free key-control identity. Never executes a transfer. Free operations run here; a paid one answers where to buy it.",
    version,
    supportedInterfaces: [
      { url: `${baseUrl}${AGENT_A2A_PATH}`, protocolBinding: "JSONRPC" as const, protocolVersion: "1.0" as const },
    ],
    ...(website && { provider: { organization: issuerName, url: website } }),
    ...(documentation && { documentationUrl: documentation }),
    capabilities: { streaming: false as const, pushNotifications: false as const, extendedAgentCard: false as const },
    defaultInputModes: [JSON_MODE],
    defaultOutputModes: [JSON_MODE, "application/problem+json"],
    skills: subjects(operations).map(skillOf),
  }
  const jku = `${baseUrl}${getServiceJwks.path}`
  return { ...card, signatures: [detachedJws(signer, { typ: "JOSE", jku }, card)] }
}

function skillOf({ id, name, rows }: Subject): AgentSkill {
  const tags = rows.flatMap((row) => {
    const owner = row.product ?? row.partOf
    const needs = intentsOf(row).map((intent) => intent.name)
    return [row.product ? "x402" : "free", owner?.jurisdiction ?? "", owner?.coverage ?? "", ...needs]
  })
  return {
    id,
    name,
    description: rows.map((row) => `${row.id}: ${row.summary}.`).join(" "),
    tags: [...new Set(tags)].filter((tag) => tag !== ""),
  }
}
