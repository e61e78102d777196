import { getServiceJwks } from "../../../schemas/discovery/jwks.ts"
import { conditional } from "../../http/conditional.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import type { KeyRing } from "../../keys/key-ring.ts"

export function serviceJwks({ shell, keys }: { shell: Shell; keys: KeyRing }) {
  return serve(shell, getServiceJwks, ({ headers }) =>
    conditional(headers, keys.jwks(), {
      "content-type": "application/jwk-set+json",
      "cache-control": "public, max-age=300",
    }),
  )
}
