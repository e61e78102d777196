/** Reads the payment settings from the configuration, and opens payments with them. */
import { type Config, ConfigError } from "../base/config.ts"
import type { Machine } from "../base/machine.ts"
import { readSecretFile, SecretFileError } from "../base/secret-file.ts"
import { type PaymentSettings, settingProblems } from "../payments/payment-settings.ts"
import type { Payments } from "../payments/payments.ts"

/**
 * Returns null if payments are off. Reads the relayer's key file. Throws {@link ConfigError} with every fault that needs no network or
 * computation to detect, because nothing is sold with an incomplete configuration.
 */
export function sellingSettings(config: Config, quoteKey: Uint8Array): PaymentSettings | null {
  if (config.payments === "off") return null
  const settings: PaymentSettings = {
    mode: config.payments === "live" ? "live" : "test",
    rpcUrl: config.rpc_url,
    secondRpcUrl: config.rpc_url_second,
    singleNodeAcceptedBy: config.single_node_accepted_by,
    payTo: config.pay_to,
    settler: config.settler === "http" ? "http" : "self",
    relayerKey: config.relayer_key_file === "" ? null : relayerKey(config.relayer_key_file),
    facilitatorUrl: config.facilitator_url,
    ethUsd: config.eth_usd,
    burnedGasDailyWei: config.reverted_gas_daily_wei,
    settleWaitMs: config.settle_wait_ms,
    quoteKey,
  }
  const problems = settingProblems(settings)
  if (problems.length > 0) throw new ConfigError(problems.join("\n"))
  return settings
}

/** Derives the relayer's address and loads the payment modules, which takes some tens of milliseconds. Throws {@link ConfigError}. */
export async function paymentsOf(settings: PaymentSettings, machine: Pick<Machine, "monotonic">): Promise<Payments> {
  const { openPayments } = await import("../payments/open-payments.ts")
  const opened = openPayments(settings, machine)
  if (!opened.ok) throw new ConfigError(opened.problems.join("\n"))
  return opened.payments
}

function relayerKey(path: string): string {
  try {
    return new TextDecoder().decode(readSecretFile(path))
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(`relayer_key_file: ${error.message}`) : error
  }
}
