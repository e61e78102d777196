/** The live register of Companies House for commands: opened as configured, with the state of its budget. */

import type { Config } from "../../base/config.ts"
import type { Log } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import { secretOf } from "../../base/secret-setting.ts"
import { openCompaniesHouse } from "../../sources/publishers/uk-companies-house/open-companies-house.ts"
import type { LiveState, RestClient } from "../../sources/publishers/uk-companies-house/rest-client.ts"
import type { Store } from "../../store/engine/unit.ts"
import { asConfigRefusal } from "../inputs.ts"

/** Returns null without a key. Exits with 6 for a key that cannot be used. */
export function openLive(config: Config, { store, log }: { store: Store; log: Log }): RestClient | null {
  try {
    const key = secretOf(config, "uk_companies_house_key_file")
    return openCompaniesHouse(config, key, { store, log, machine: realMachine })
  } catch (error) {
    throw asConfigRefusal(error)
  }
}

export async function liveState(config: Config, parts: { store: Store; log: Log }): Promise<LiveState | null> {
  return (await openLive(config, parts)?.state(realMachine.now())) ?? null
}

export function liveAsJson({ requests, requestsMax, paused }: LiveState) {
  return { source_id: "UK_COMPANIES_HOUSE", requests, requests_max: requestsMax, paused }
}

export function liveForPeople({ requests, requestsMax, paused }: LiveState): string {
  const state = paused ? `no request before ${paused.until} (${paused.reason})` : "ready for requests"
  return `UK_COMPANIES_HOUSE live: ${state}; ${requests} of ${requestsMax} requests in the last five minutes\n`
}
