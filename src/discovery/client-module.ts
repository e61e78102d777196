import { getClientModule, getClientTypes, getClientVerifier } from "../../schemas/discovery/client-module.ts"
import type { ConstantRow } from "./parts.ts"
import { publishedClient } from "./published-client.ts" with { type: "macro" }

const { client, verifier, types } = publishedClient()

/** `no-cache`: a buyer runs the modules next to a private key, so each use asks whether they are still the published ones. */
const cacheControl = "no-cache"

export const CLIENT_MODULE: readonly ConstantRow[] = [
  { operation: getClientModule, cacheControl, print: () => client },
  { operation: getClientVerifier, cacheControl, print: () => verifier },
  { operation: getClientTypes, cacheControl, print: () => types },
]
