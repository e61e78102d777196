import {
  checkPaymentDecisionEligibility,
  recoverPaymentDecision,
  releasePaymentDecision,
} from "../../../../schemas/us/operations.ts"
import type { DeliveryDeps } from "../../../delivery/deps.ts"
import type { PaidProduct } from "../../../delivery/sale.ts"
import { sell } from "../../../delivery/sell.ts"
import { serve } from "../../../http/serve.ts"
import type { Shell } from "../../../http/shell.ts"
import type { SourceBoard } from "../../../sources/boards/source-board.ts"
import type { Registers } from "../registration.ts"
import { eligibility } from "./eligibility.ts"
import { recover, requireNoPaymentHeader } from "./recover.ts"
import { saleOf } from "./sell.ts"
import { withoutAccepted } from "./without-accepted.ts"

export interface PaymentDecisionDeps {
  readonly shell: Shell
  readonly delivery: DeliveryDeps
  readonly product: PaidProduct
  readonly sources: SourceBoard
  readonly registers: Registers
}

/** The checks before a quote use the lists and registers that {@link withoutAccepted} returns, like the product when it computes. */
export function paymentDecisionRoutes({ shell, delivery, product, ...given }: PaymentDecisionDeps) {
  const { sources, registers } = withoutAccepted(given)
  const { store, baseUrl } = delivery
  const { network } = shell
  return [
    serve(shell, releasePaymentDecision, async (call) =>
      sell(delivery, await saleOf({ store, sources, registers, product, baseUrl }, call.body, call.at), call),
    ),
    serve(shell, recoverPaymentDecision, (call) => recover({ store, product, baseUrl, network }, call), {
      guard: requireNoPaymentHeader,
    }),
    serve(shell, checkPaymentDecisionEligibility, (call) => eligibility({ store, sources, registers, baseUrl }, call)),
  ]
}
