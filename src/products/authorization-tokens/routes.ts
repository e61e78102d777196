import {
  getGbTokenStatus,
  getUsTokenStatus,
  redeemGbToken,
  redeemUsToken,
  revokeGbToken,
  revokeUsToken,
} from "../../../schemas/authorization-token.ts"
import { serve } from "../../http/serve.ts"
import type { AuthorizationTokenDeps } from "./deps.ts"
import { redeem } from "./redeem.ts"
import { revoke } from "./revoke.ts"
import { status } from "./status.ts"

export function authorizationTokens({ shell, store }: AuthorizationTokenDeps) {
  const gb = { store, country: "GB" } as const
  const us = { store, country: "US" } as const
  return [
    serve(shell, redeemGbToken, (call) => redeem(gb, call)),
    serve(shell, revokeGbToken, (call) => revoke(gb, call)),
    serve(shell, getGbTokenStatus, (call) => status(gb, call)),
    serve(shell, redeemUsToken, (call) => redeem(us, call)),
    serve(shell, revokeUsToken, (call) => revoke(us, call)),
    serve(shell, getUsTokenStatus, (call) => status(us, call)),
  ]
}
