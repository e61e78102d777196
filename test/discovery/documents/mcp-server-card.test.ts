import { afterAll, beforeAll, expect, test } from "bun:test"
import { agentMcp } from "../../../schemas/discovery/mcp.ts"
import type { McpServerCard } from "../../../schemas/discovery/server-card.ts"
import { askModern } from "../../fixtures/mcp.ts"
import { type ServedService, servedService } from "../../fixtures/served.ts"

let served: ServedService
beforeAll(async () => {
  served = await servedService()
})
afterAll(() => served[Symbol.asyncDispose]())

const at = (path: string) => fetch(`${served.origin}${path}`)

test("both places serve the same bytes with the media type of a server card, to any origin", async () => {
  const [first, second] = [await at("/.well-known/mcp/server-card.json"), await at("/v1/agent/mcp/server-card")]
  expect(await first.text()).toBe(await second.text())
  for (const { headers } of [first, second]) {
    expect(headers.get("content-type")).toBe("application/mcp-server-card+json")
    expect(headers.get("access-control-allow-origin")).toBe("*")
  }
})

test("the card agrees with server/discover: name, title, version and protocol versions", async () => {
  const card = (await (await at("/.well-known/mcp/server-card.json")).json()) as McpServerCard
  const [remote] = card.remotes
  expect(remote?.url).toBe(`${served.origin}${agentMcp.path}`)
  const { json } = await askModern(new URL(remote?.url ?? ""), "server/discover")
  const { supportedVersions, _meta } = json.result as { supportedVersions: string[]; _meta: Record<string, unknown> }
  expect(remote?.supportedProtocolVersions).toEqual(supportedVersions)
  const { name, title, version } = card
  expect(_meta["io.modelcontextprotocol/serverInfo"]).toEqual({ name, title, version })
})

test("the card names the sets of tools, and each query lists tools that the endpoint alone does not", async () => {
  const card = (await (await at("/.well-known/mcp/server-card.json")).json()) as McpServerCard
  const listed = async (url: string) => {
    const { json } = await askModern(new URL(url), "tools/list")
    return (json.result as { tools: readonly object[] }).tools.length
  }
  const address = card.remotes[0]?.url ?? ""
  const byDefault = await listed(address)
  expect(card._meta["svc/tool-sets"].map(({ name }) => name)).toEqual(["identity", "planning", "sales", "sandbox"])
  for (const { query } of card._meta["svc/tool-sets"])
    expect(await listed(`${address}?${query}`)).toBeGreaterThan(byDefault)
})
