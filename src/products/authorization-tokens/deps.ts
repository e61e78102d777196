import type { Shell } from "../../http/serve.ts"
import type { TokenCountry } from "../../store/tokens/authorization-tokens.ts"
import type { Store } from "../../store/unit.ts"

export interface AuthorizationTokenDeps {
  readonly shell: Shell
  readonly store: Store
}

/** Where a token is asked about: each country knows its own only. */
export interface TokenDesk {
  readonly store: Store
  readonly country: TokenCountry
}
