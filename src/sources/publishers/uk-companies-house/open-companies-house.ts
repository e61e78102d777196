import type { Config } from "../../../base/config.ts"
import { openRestClient, type RestClient, type RestClientParts } from "./rest-client.ts"
import { ANSWER_MS_MAX } from "./rest-request.ts"

/** Opens the live register from the configuration. `key`: the text of `uk_companies_house_key_file`; without one it returns null. */
export function openCompaniesHouse(
  config: Config,
  key: string | null,
  parts: Pick<RestClientParts, "store" | "machine" | "log">,
): RestClient | null {
  if (key === null) return null
  return openRestClient({
    ...parts,
    service: { baseUrl: config.uk_companies_house_url, key, timeoutMs: ANSWER_MS_MAX },
    requestsMax: config.uk_companies_house_requests,
  })
}
