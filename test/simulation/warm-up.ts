/** Loads the modules that viem and the official verifier load at their first use, so that the first step of a run is like any other. */

import { checkAuthorization } from "../../src/payments/authorization.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { CallFailed } from "../../src/payments/rpc.ts"
import { verifyPayment } from "../../src/payments/verify-payment.ts"
import { ModelChain } from "../../src/sandbox/chain/model-chain.ts"
import { ModelNode } from "../../src/sandbox/chain/model-node.ts"
import { openModelChain } from "../../src/sandbox/chain/open-model-chain.ts"
import { sampleTerms, signPayment } from "../fixtures/authorizations.ts"
import { PAY_TO, RELAYER, RICH } from "./accounts.ts"
import { useCheapCurve } from "./cheap-curve.ts"

export async function warmUp(): Promise<void> {
  useCheapCurve()
  // The modules that the server loads when payments are opened.
  await import("../../src/payments/readiness.ts")
  await import("../../src/delivery/reconcile.ts")
  await import("../../src/delivery/run.ts")
  const [payer] = RICH
  if (!payer) throw new TypeError("no wallet")
  const now = Math.floor(Date.now() / 1000)
  const model = new ModelChain({ network: BASE, genesisTime: now - 10, senderOf: () => RELAYER })
  model.setUsdc(payer.address, 10_000_000n)
  model.mine(now - 2)
  const chain = openModelChain(BASE, new ModelNode(model).request)
  const terms = sampleTerms({ payTo: PAY_TO })
  const payment = await signPayment(payer, terms, now)
  const checked = checkAuthorization(payment, terms, null)
  if (!checked.ok) throw new Error(checked.reason)
  const verdict = await verifyPayment(chain, checked.authorization, terms, RELAYER)
  if (!("isValid" in verdict && verdict.isValid)) throw new Error(`not a good payment: ${JSON.stringify(verdict)}`)
  try {
    await chain.primary.call({ to: BASE.asset.address, data: "0x12345678" })
    throw new Error("the call was not reverted")
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error
  }
}
