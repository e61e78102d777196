/** All documents together: their shapes, their addresses, and what one more product or one missing route changes. */
import { describe, expect, test } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { AGENT_A2A_PATH } from "../../../schemas/discovery/a2a.ts"
import type { AgentCard } from "../../../schemas/discovery/agent-card.ts"
import type { AgentMap } from "../../../schemas/discovery/agent-map.ts"
import type { AiCatalog } from "../../../schemas/discovery/ai-catalog.ts"
import { agentMcp } from "../../../schemas/discovery/mcp.ts"
import type { McpServerCard } from "../../../schemas/discovery/server-card.ts"
import type { SvcIntents } from "../../../schemas/discovery/svc-intents.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { PRODUCT_IDS } from "../../../schemas/products.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { agentCard } from "../../../src/discovery/documents/agent-card.ts"
import { AGENT_DOCUMENTS } from "../../../src/discovery/documents/agent-documents.ts"
import { agentMap } from "../../../src/discovery/documents/agent-map.ts"
import { aiCatalog } from "../../../src/discovery/documents/ai-catalog.ts"
import { mcpServerCard } from "../../../src/discovery/documents/mcp-server-card.ts"
import { svcIntents } from "../../../src/discovery/documents/svc-intents.ts"
import type { SignedParts } from "../../../src/discovery/parts.ts"
import { compile } from "../../../src/http/read-body.ts"
import { ADDED, ADDED_PRODUCT, BASE, discoveryParts, printedOf, ROWS } from "../../fixtures/discovery-parts.ts"
import { addressesIn, isServed } from "../../fixtures/links.ts"

describe.each(AGENT_DOCUMENTS.map((row) => [row.operation.path, row] as const))("%s", (_path, row) => {
  const { operation } = row
  const print = (parts: SignedParts) => printedOf(row, parts)

  test("it has the shape that its row promises, and prints the same bytes again", () => {
    const document = print(discoveryParts())
    const schema = operation.responses[200]?.schema as TSchema
    expect([...compile(schema).Errors(document)]).toEqual([])
    expect(canonicalize(print(discoveryParts()))).toBe(canonicalize(document))
  })

  test("each of its addresses on this service is one that a row serves", () => {
    const addresses = addressesIn(print(discoveryParts()), BASE).filter((address) => address !== BASE)
    expect(addresses.length).toBeGreaterThan(0)
    expect(addresses.filter((address) => !isServed(ROWS, BASE, address))).toEqual([])
  })

  test("it follows the base URL, also one with a port", () => {
    const elsewhere = "http://127.0.0.1:8403"
    const document = print({ ...discoveryParts(), baseUrl: elsewhere })
    expect([...compile(operation.responses[200]?.schema as TSchema).Errors(document)]).toEqual([])
    expect(JSON.stringify(document)).not.toContain("svc.example")
  })

  test("it does not say that the service is listed or registered anywhere", () => {
    expect(JSON.stringify(print(discoveryParts()))).not.toMatch(
      /\b(listed|registered|indexed) (in|on|by|at)\b|verified by/i,
    )
  })

  test("one more paid row appears in it", () => {
    const before = JSON.stringify(print(discoveryParts()))
    const after = JSON.stringify(print(discoveryParts([...ROWS, ADDED])))
    expect([before.includes(ADDED_PRODUCT), after.includes(ADDED_PRODUCT)]).toEqual([false, true])
  })

  test("no route that is not served appears in it", () => {
    const without = ROWS.filter(({ path }) => !path.startsWith("/v1/us/") && !path.startsWith("/v1/agent-identities"))
    const document = print(discoveryParts(without))
    const missing = addressesIn(document, BASE).filter(
      (address) => address !== BASE && !isServed(without, BASE, address),
    )
    expect(missing).toEqual([])
    expect(JSON.stringify(document)).not.toContain("us.company.check.v1")
  })
})

test("the one added row is named in its place: intent, skill, tag, product of the tools, journey", () => {
  const parts = discoveryParts([...ROWS, ADDED])
  expect(svcIntents(parts).intents.filter(({ operation_id }) => operation_id === ADDED.id)).toEqual([
    {
      intent: "CHECK_INVENTED_FACT",
      product_id: ADDED_PRODUCT,
      solution_id: null,
      operation_id: "gb_invented_check",
      method: "POST",
      uri: `${BASE}/v1/gb/invented/check`,
      jurisdiction: "GB",
      coverage: "INVENTED_FACTS",
      charge: { amount: "0.07", amount_atomic: "70000", asset: "USDC", network: "eip155:8453" },
      required_inputs: ["/schema_version", "/fact/name"],
      not_for: ["REAL_FACTS"],
      needs: [],
      lifecycle: "ACTIVE",
    },
  ])
  expect(agentCard(parts).skills.find(({ id }) => id === ADDED_PRODUCT)).toEqual({
    id: ADDED_PRODUCT,
    name: "Check invented fact (GB)",
    description: "gb_invented_check: Check an invented fact.",
    tags: ["x402", "GB", "INVENTED_FACTS", "CHECK_INVENTED_FACT"],
  })
  expect(aiCatalog(parts).entries.every(({ tags }) => tags.includes(ADDED_PRODUCT))).toBe(true)
  expect(mcpServerCard(parts)._meta["svc/products"]).toContain(ADDED_PRODUCT)
  const journey = agentMap(parts).journeys.find(({ id }) => id === `buy:${ADDED_PRODUCT}`)
  expect(journey?.steps.map(({ operation_id, auth, charge }) => [operation_id, auth, charge?.amount ?? null])).toEqual([
    ["gb_invented_check", "NONE", null],
    ["gb_invented_check", "X402", "0.07"],
    ["get_gb_execution", "EXECUTION_ID", null],
    ["get_gb_execution_proof", "EXECUTION_ID", null],
    ["get_service_jwks", "NONE", null],
  ])
})

const without = (...paths: string[]) => discoveryParts(ROWS.filter(({ path }: Operation) => !paths.includes(path)))

test("a card needs its endpoint, and a catalogue leaves out a document that is not served", () => {
  expect(() => agentCard(without(AGENT_A2A_PATH))).toThrow("the agent card needs the A2A endpoint")
  expect(() => mcpServerCard(without(agentMcp.path))).toThrow("the server card needs the MCP endpoint")
  const named = aiCatalog(without("/.well-known/agent-card.json")).entries.map(({ url }) => url)
  expect(named).toContain(`${BASE}/.well-known/mcp/server-card.json`)
  expect(named).not.toContain(`${BASE}/.well-known/agent-card.json`)
})

test("what the documents say of each other agrees: type of each catalogue entry, endpoint of each card, version", () => {
  const parts = discoveryParts()
  const catalogue: AiCatalog = aiCatalog(parts)
  for (const { url, type } of catalogue.entries) {
    const row = ROWS.find(({ path }) => `${BASE}${path}` === url)
    expect(row?.responses[200]?.mediaType ?? "application/json").toBe(type)
  }
  const map: AgentMap = agentMap(parts)
  const entryPoints = map.entry_points.map(({ uri }) => uri)
  const card: AgentCard = agentCard(parts)
  const server: McpServerCard = mcpServerCard(parts)
  expect(entryPoints).toContain(card.supportedInterfaces[0]?.url ?? "")
  expect(entryPoints).toContain(server.remotes[0]?.url ?? "")
  for (const { operation } of AGENT_DOCUMENTS) expect(entryPoints).toContain(`${BASE}${operation.path}`)
  expect([card.version, server.version, map.service.version]).toEqual(["9.8.7", "9.8.7", "9.8.7"])
})

test("every intent of a product is a step of its journey, and every paid row has an intent, a skill and a journey", () => {
  const parts = discoveryParts()
  const { intents }: SvcIntents = svcIntents(parts)
  const { journeys } = agentMap(parts)
  const skills = agentCard(parts).skills.map(({ id }) => id)
  const paid = ROWS.filter(({ product }) => product)
  expect(paid).toHaveLength(PRODUCT_IDS.length)
  for (const { id, product } of paid) {
    expect(intents.filter(({ operation_id }) => operation_id === id)).toHaveLength(1)
    expect(skills).toContain(product?.solution ?? product?.id ?? "")
    const steps = journeys.find((journey) => journey.id === `buy:${product?.id}`)?.steps ?? []
    expect(steps.filter(({ operation_id }) => operation_id === id).map(({ auth }) => auth)).toEqual(["NONE", "X402"])
  }
  expect(skills).toEqual([...new Set(skills)])
  // Agent ID has one, and the products of one solution share one.
  expect(skills).toHaveLength(1 + new Set(paid.map(({ product }) => product?.solution ?? product?.id)).size)
})
