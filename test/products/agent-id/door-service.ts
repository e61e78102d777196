/** The service of `service.ts` on the engine that the run of the tests names. */
import type { TestAgent } from "../../fixtures/agent.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { ENTER_SERVICE_KEY, newAgent, type ServiceSettings, serviceOver } from "./service.ts"

export async function openDoorService(settings: ServiceSettings = {}) {
  const opened = await newStore()
  const served = serviceOver(opened.store, settings)
  await opened.write(ENTER_SERVICE_KEY, served.signer.keyId, served.serviceX)
  return { ...served, ...opened }
}

export type DoorService = Awaited<ReturnType<typeof openDoorService>>

/** With one enrolled agent. */
export async function openDoorServiceWithAgent(
  settings: ServiceSettings = {},
): Promise<{ readonly service: DoorService; readonly agent: TestAgent }> {
  const service = await openDoorService(settings)
  return { service, agent: await newAgent(service) }
}
