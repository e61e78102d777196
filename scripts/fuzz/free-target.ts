/** A server without payments for a run. It is read as any agent reads it: by its own document. */
import type { SettingName } from "../../src/config.ts"
import type { OpenapiDocument } from "../../test/fixtures/openapi.ts"
import { servedService } from "../../test/fixtures/served.ts"
import type { FuzzTarget } from "./run-fuzz.ts"

export async function freeTarget(
  settings: Partial<Record<SettingName, string>> = {},
): Promise<FuzzTarget & AsyncDisposable> {
  const served = await servedService({ rate_limits: "off", ...settings })
  const answer = await fetch(`${served.origin}/v1/openapi.json`)
  return {
    origin: served.origin,
    document: (await answer.json()) as OpenapiDocument,
    takeLines: () => served.logged.splice(0),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  }
}
