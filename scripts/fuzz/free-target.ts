/** A server without payments for a run. It is read as any agent reads it: by its own document. */
import type { SettingName } from "../../src/base/config.ts"
import { enrolTestAgent } from "../../test/fixtures/agent.ts"
import type { OpenapiDocument } from "../../test/fixtures/openapi.ts"
import { servedService } from "../../test/fixtures/served.ts"
import type { FuzzTarget } from "./run-fuzz.ts"

/** Parameters that answer 200 on a server with one agent. */
const IDS = {
  channel: ["mcp", "openapi"],
  cnpj: ["12ABC34501DE35", "11222333000181"],
  code: ["NOT_FOUND", "SCHEMA_INVALID"],
  from: ["1"],
  index: ["0"],
  rest: ["0/000.p/1", "entries/000.p/1"],
  size: ["1"],
  to: ["1"],
}

export async function freeTarget(
  settings: Partial<Record<SettingName, string>> = {},
): Promise<FuzzTarget & AsyncDisposable> {
  const served = await servedService({ rate_limits: "off", ...settings })
  const answer = await fetch(`${served.origin}/v1/openapi.json`)
  const agent = await enrolTestAgent(fetch, served.origin)
  return {
    origin: served.origin,
    document: (await answer.json()) as OpenapiDocument,
    ids: { ...IDS, agentId: [agent.agentId] },
    takeLines: () => served.logged.splice(0),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  }
}
