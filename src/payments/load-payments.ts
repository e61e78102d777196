import type { Machine } from "../base/machine.ts"
import type { PaymentSettings } from "./payment-settings.ts"
import type { Payments } from "./payments.ts"

/** Derives the relayer's address and loads the payment modules, which takes some tens of milliseconds. Throws {@link ConfigError}. */
export async function loadPayments(settings: PaymentSettings, machine: Pick<Machine, "monotonic">): Promise<Payments> {
  const { openPayments } = await import("./open-payments.ts")
  return openPayments(settings, machine)
}
