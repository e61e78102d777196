/** Opens the live register from the configuration: null without a key, an error for a key that cannot be used. */
import { type Config, ConfigError } from "../../../base/config.ts"
import { readSecretFile, SecretFileError } from "../../../base/secret-file.ts"
import { openRestClient, type RestClient, type RestClientParts } from "./rest-client.ts"
import { ANSWER_MS_MAX } from "./rest-request.ts"

/** Throws {@link ConfigError}. */
export function openCompaniesHouse(
  config: Config,
  parts: Pick<RestClientParts, "store" | "machine" | "log">,
): RestClient | null {
  const path = config.uk_companies_house_key_file
  if (path === "") return null
  return openRestClient({
    ...parts,
    service: { baseUrl: config.uk_companies_house_url, key: companiesHouseKey(path), timeoutMs: ANSWER_MS_MAX },
    requestsMax: Number(config.uk_companies_house_requests),
  })
}

/** Throws {@link ConfigError} unless the file holds one key and only its owner can read it. */
export function companiesHouseKey(path: string): string {
  try {
    const key = new TextDecoder().decode(readSecretFile(path)).trim()
    // The user name of HTTP Basic ends at the first colon.
    if (!/^[\x21-\x39\x3b-\x7e]{8,200}$/.test(key)) throw new SecretFileError(`${path} does not hold one API key`)
    return key
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(`uk_companies_house_key_file: ${error.message}`) : error
  }
}
