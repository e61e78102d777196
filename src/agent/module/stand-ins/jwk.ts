/** In the client module in place of `core/jwk.ts`: the same without `node:crypto`. */
import type { PublicJwk } from "../../../core/jwk.ts"
import { keyIdOf as portableKeyId } from "../../../offline/portable/encoding.ts"

export const keyIdOf: (x: string) => string = portableKeyId

export function publicJwk(x: string): PublicJwk {
  return { kty: "OKP", crv: "Ed25519", x }
}
