import type { Shell } from "../../http/shell.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { TokenCountry } from "../../store/tokens/authorization-tokens.ts"

export interface AuthorizationTokenDeps {
  readonly shell: Shell
  readonly store: Store
}

/** The store and country of a token operation. Each country knows only its own tokens. */
export interface TokenDeps {
  readonly store: Store
  readonly country: TokenCountry
}
