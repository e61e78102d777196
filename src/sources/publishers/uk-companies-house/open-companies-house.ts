import type { Config } from "../../../base/config.ts"
import { secretOf } from "../../../base/secret-setting.ts"
import { openRestClient, type RestClient, type RestClientParts } from "./rest-client.ts"
import { ANSWER_MS_MAX } from "./rest-request.ts"

/** Opens the live register from the configuration: null without a key. Throws {@link ConfigError} for a key that cannot be used. */
export function openCompaniesHouse(
  config: Config,
  parts: Pick<RestClientParts, "store" | "machine" | "log">,
): RestClient | null {
  const key = secretOf(config, "uk_companies_house_key_file")
  if (key === null) return null
  return openRestClient({
    ...parts,
    service: { baseUrl: config.uk_companies_house_url, key, timeoutMs: ANSWER_MS_MAX },
    requestsMax: config.uk_companies_house_requests,
  })
}
