import { getClientModule, getClientTypes, getClientVerifier } from "../../schemas/discovery/client-module.ts"
import { unpackedText } from "../base/packed-text.ts"
import type { ConstantRow } from "./parts.ts"
import { packedClient } from "./published-client.ts" with { type: "macro" }

const { client, verifier, types } = packedClient()

/** `no-cache`: a buyer runs the modules next to a private key, so each use asks whether they are still the published ones. */
const cacheControl = "no-cache"

export const CLIENT_MODULE: readonly ConstantRow[] = [
  { operation: getClientModule, cacheControl, print: () => unpackedText(client) },
  { operation: getClientVerifier, cacheControl, print: () => unpackedText(verifier) },
  { operation: getClientTypes, cacheControl, print: () => unpackedText(types) },
]
