/** The documents against the schemas that others publish. */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import Ajv from "ajv"
import Ajv2020 from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { agentCard } from "../../../src/discovery/documents/agent-card.ts"
import { aiCatalog } from "../../../src/discovery/documents/ai-catalog.ts"
import { mcpServerCard } from "../../../src/discovery/documents/mcp-server-card.ts"
import type { SignedParts } from "../../../src/discovery/parts.ts"
import { ADDED, discoveryParts, ROWS } from "../../fixtures/discovery-parts.ts"

const folder = process.env["BIZAUTH_VECTORS"]
if (!folder) console.info("skipped: published schemas are read only when BIZAUTH_VECTORS names their folder")
const published = (path: string) => Bun.file(join(folder ?? "", "schemas", path)).json()

/** `root`: pointer of the schema of the document. */
async function validator(path: string, root: string) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema({ ...(await published(path)), $id: "published" })
  return ajv.compile({ $ref: `published${root}` })
}

/** The same service as seen from several addresses, and with one more product. */
const PARTS: readonly SignedParts[] = [
  discoveryParts(),
  discoveryParts([...ROWS, ADDED]),
  { ...discoveryParts(), baseUrl: "http://127.0.0.1:8403" },
  { ...discoveryParts(), baseUrl: "http://[::1]:8403" },
  { ...discoveryParts(), baseUrl: "http://localhost:8403" },
]

describe.skipIf(!folder)("published schemas", () => {
  test.each([
    ["the catalogue: schema of ARD", "ai-catalog/ard.ai-catalog.schema.json", "#", "specVersion", aiCatalog],
    [
      "the catalogue: form of the Agent Card group",
      "authored/ai-catalog.wg-0379c868.schema.json",
      "#",
      "entries",
      aiCatalog,
    ],
    ["the agent card: A2A 1.0", "authored/a2a-agent-card.v1.schema.json", "#", "supportedInterfaces", agentCard],
    ["the server card", "mcp-server-card/server-card.v1.schema.json", "#/$defs/ServerCard", "name", mcpServerCard],
  ])("%s accepts it, and rejects it without a member", async (_name, path, root, required, print) => {
    const accepts = await validator(path, root)
    for (const parts of PARTS) {
      const document: object = print(parts)
      expect([accepts(document), accepts.errors]).toEqual([true, null])
    }
    expect(accepts({ ...print(discoveryParts()), [required]: undefined })).toBe(false)
  })

  test("the schema of A2A 0.3 does not accept the card: no client of 0.3 takes it for its own", async () => {
    const ajv = new Ajv({ strict: false, allErrors: true })
    addFormats(ajv)
    const schema = await published("a2a/v0.3.0/a2a.json")
    const accepts = ajv.compile({ ...schema, $ref: "#/definitions/AgentCard" })
    expect(accepts(agentCard(discoveryParts()))).toBe(false)
    expect(accepts.errors?.map(({ params }) => params["missingProperty"])).toEqual(["protocolVersion", "url"])
  })
})
