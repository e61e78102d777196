/** Export bundles as a third party uses them: fetched once, verified offline in this process by the code of the published module. */

import type { LogDescriptor } from "../../schemas/agent-id/log.ts"
import { verifyBundle } from "../../src/offline/kinds/identity/verify-bundle.ts"
import type { TestAgent } from "../../test/fixtures/agent.ts"

const BUNDLES = 20

/** Returns the milliseconds of each verification against the log's key. The first one warms up and is not counted. */
export async function measureBundles(origin: string, agents: readonly TestAgent[]): Promise<number[]> {
  const times: number[] = []
  const log = (await (await fetch(`${origin}/v1/agent-id/log`)).json()) as LogDescriptor
  const logKey = log.verifier_keys[0] ?? ""
  for (const { agentId } of agents.slice(0, BUNDLES + 1)) {
    const text = await (await fetch(`${origin}/v1/agent-identities/${agentId}/export`)).text()
    const started = performance.now()
    const { result } = await verifyBundle(text, { logKey })
    times.push(performance.now() - started)
    if (result !== "VALID") throw new Error(`a bundle of this service is ${result}`)
  }
  return times.slice(1)
}
