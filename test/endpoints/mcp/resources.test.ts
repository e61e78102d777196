/** Resources are the documents that HTTP serves, byte for byte. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { askLegacy, askModern, type McpService, mcpService } from "../../fixtures/mcp.ts"

setDefaultTimeout(30_000)

interface Resource {
  readonly uri: string
  readonly name: string
  readonly mimeType: string
}
interface ReadResult {
  readonly contents: readonly [{ readonly uri: string; readonly mimeType: string; readonly text: string }]
  readonly ttlMs: number
  readonly cacheScope: string
}

let service: McpService
let listed: readonly Resource[]
beforeAll(async () => {
  service = await mcpService({ rate_limits: "off" })
  listed = (await askModern(service.url, "resources/list")).json.result["resources"] as Resource[]
})
afterAll(() => service[Symbol.asyncDispose]())

test("the keys of the service and the descriptor of Agent ID are among them", () => {
  const uris = listed.map(({ uri }) => uri)
  expect(uris).toContain(`${service.origin}/.well-known/jwks.json`)
  expect(uris).toContain(`${service.origin}/v1/agent-id`)
  expect(new Set(uris).size).toBe(uris.length)
})

test("each has the bytes and the media type of its HTTP route, in both eras, and the time that HTTP allows", async () => {
  expect(listed.length).toBeGreaterThan(20)
  for (const { uri, mimeType } of listed) {
    const document = await fetch(uri)
    const text = await document.text()
    const maxAge = /max-age=(\d+)/.exec(document.headers.get("cache-control") ?? "")?.[1]
    for (const ask of [askModern, askLegacy]) {
      const result = (await ask(service.url, "resources/read", { uri })).json.result as unknown as ReadResult
      expect(result.contents).toEqual([
        { uri, mimeType: document.headers.get("content-type") ?? "", text: expect.any(String) },
      ])
      // An example with times of now is another one in the next minute.
      const isSame = result.contents[0].text === text || result.contents[0].text === (await (await fetch(uri)).text())
      expect([uri, isSame]).toEqual([uri, true])
      expect([result.ttlMs, result.cacheScope]).toEqual([Number(maxAge ?? 0) * 1000, "public"])
      expect(result.contents[0].mimeType).toStartWith(mimeType)
    }
  }
})

test("there are no templates and no prompts", async () => {
  expect((await askModern(service.url, "resources/templates/list")).json.result["resourceTemplates"]).toEqual([])
  expect((await askModern(service.url, "prompts/list")).json.result["prompts"]).toEqual([])
})
