/** The calls of each journey in their order. A journey with a step that is not served is left out. */
import type { AgentMap, JourneyStep } from "../../../schemas/discovery/agent-map.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { chargeOf } from "../charge.ts"
import { whereOf } from "../links.ts"
import type { DocumentParts } from "../parts.ts"
import { type SoldOperation, soldOperations } from "../sold.ts"

type Journey = AgentMap["journeys"][number]

/** Journeys without a product, by the ids of their operations. */
const FREE_JOURNEYS: readonly (readonly [id: string, ...steps: string[]])[] = [
  [
    "enroll-agent-identity",
    "GetAgentIdBootstrap",
    "IssueAgentIdentityChallenge",
    "ProveAgentIdentityChallenge",
    "GetAgentIdentity",
    "GetAgentIdentityStatus",
  ],
  [
    "change-agent-keys",
    "GetAgentIdentityStatus",
    "IssueAgentIdentityChallenge",
    "ProveAgentIdentityChallenge",
    "GetAgentIdentityStatus",
  ],
  ["verify-agent-signature", "GetKeyControlOnlyClaim", "GetAgentIdentityJwks", "VerifyAgentSignature"],
  ["register-signed-artifact", "RegisterAgentArtifact", "GetTransparencyLogCheckpoint", "GetTransparencyLogInclusion"],
  ["verify-agent-identity-offline", "ExportAgentIdentity", "GetAgentBundleVerifier", "get_service_jwks"],
  ["delegate-agent-key", "GetAgentIdentityStatus", "enroll_buyer_delegation"],
  ["use-gb-authorization-token", "status_gb_authorization_token", "redeem_gb_authorization_token"],
  ["use-us-authorization-token", "status_us_authorization_token", "redeem_us_authorization_token"],
]

type JourneyParts = Pick<DocumentParts, "baseUrl" | "operations" | "network">

export function journeys(parts: JourneyParts): Journey[] {
  const { operations } = parts
  const byId = new Map(operations.map((row) => [row.id, row]))
  const free = FREE_JOURNEYS.flatMap(([id, ...ids]) => {
    const rows = ids.flatMap((operationId) => byId.get(operationId) ?? [])
    return rows.length === ids.length ? [{ id, steps: rows.map((row) => stepOf(parts, row)) }] : []
  })
  return [...free, ...soldOperations(operations).map((row) => purchase(parts, row))]
}

/**
 * Learn the request, check it free of charge, get a quote, pay, get the answer again and verify it. Each part is there if its route is
 * served.
 */
function purchase(parts: JourneyParts, sold: SoldOperation): Journey {
  const { operations } = parts
  const at = (method: Operation["method"], path: string) =>
    operations.filter((row) => row.path === path && row.method === method)
  const before = [
    ...at("GET", `${sold.path}/schema`),
    ...at("GET", `${sold.path}/example`),
    ...at("POST", `${sold.path}/eligibility`),
  ]
  const recover = at("POST", `${sold.path}/recover`)
  const stored = `/v1/${sold.product.jurisdiction.toLowerCase()}/executions/{executionId}`
  const after = recover.length > 0 ? recover : [...at("GET", stored), ...at("GET", `${stored}/proof`)]
  const quote: JourneyStep = { ...stepOf(parts, sold), auth: "NONE", charge: null }
  return {
    id: `buy:${sold.product.id}`,
    steps: [
      ...before.map((row) => stepOf(parts, row)),
      quote,
      stepOf(parts, sold),
      ...[...after, ...at("GET", "/.well-known/jwks.json")].map((row) => stepOf(parts, row)),
    ],
  }
}

function stepOf({ baseUrl, network }: JourneyParts, row: Operation): JourneyStep {
  return {
    operation_id: row.id,
    method: row.method,
    ...whereOf(baseUrl, row),
    auth: row.authentication,
    charge: chargeOf(row, network),
  }
}
