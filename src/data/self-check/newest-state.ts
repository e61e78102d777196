/**
 * Whether the nodes contradict "nothing happened after the backup". Without an answer of the nodes nobody knows.
 */
import type { Address } from "viem"
import type { Config } from "../../base/config.ts"
import { createLog } from "../../base/log.ts"
import type { LongWork } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { instant } from "../../core/time.ts"
import { type UnknownTransfer, unknownTransfers } from "../../delivery/newest-scan.ts"
import { urlProblems } from "../../payments/environment.ts"
import { SERVED_NETWORK } from "../../payments/networks/networks.ts"
import { nodeCheck } from "../../payments/node-check.ts"
import { type EvmChain, openChain, RpcUnavailable } from "../../payments/rpc.ts"
import { singleNodeReasons } from "../../payments/single-node.ts"
import type { Store } from "../../store/engine/unit.ts"
import { payeesInUse } from "../../store/payments/known-transfers.ts"
import type { Environment } from "../data-directory.ts"

const RPC_TIMEOUT_MS = 10_000

export interface Declaration {
  readonly store: Pick<Store, "read">
  readonly environment: Environment
  readonly config: Config
  /** RFC 3339. */
  readonly backupAt: string
}

interface DeclarationParts {
  readonly machine: Machine
  readonly work: LongWork
}

export type NewestVerdict =
  /** Every payment since the backup is known. */
  | { readonly kind: "NOT_CONTRADICTED" }
  /** No address is known: this database never took a payment, and no `pay_to` is set. */
  | { readonly kind: "NO_ADDRESS" }
  | { readonly kind: "SETTINGS_WRONG"; readonly problems: readonly string[] }
  /** The nodes do not say it. */
  | { readonly kind: "NOT_ASKED"; readonly why: string }
  | { readonly kind: "TRANSFERS_UNKNOWN"; readonly transfers: readonly UnknownTransfer[] }

export async function judgeNewest(declaration: Declaration, parts: DeclarationParts): Promise<NewestVerdict> {
  const { store, environment, config, backupAt } = declaration
  const payees = await payeesOf(declaration)
  if (payees.length === 0) return { kind: "NO_ADDRESS" }
  const { rpc_url: rpcUrl, rpc_url_second: secondRpcUrl } = config
  if (rpcUrl === null) {
    const needed = "this database took payments, so the chain must be asked: give --rpc-url as serve has it"
    return { kind: "SETTINGS_WRONG", problems: [needed] }
  }
  const problems = urlProblems({ mode: environment, rpcUrl, secondRpcUrl }, SERVED_NETWORK)
  if (problems.length > 0) return { kind: "SETTINGS_WRONG", problems }
  const chain = openChain({ rpcUrl, secondRpcUrl, network: SERVED_NETWORK, timeoutMs: RPC_TIMEOUT_MS })
  const faults = await nodeFaults(declaration, chain, parts.machine)
  if (faults.length > 0) return { kind: "NOT_ASKED", why: faults.join(" ") }
  const onScanned = (blocks: number, total: number) => parts.work.done(blocks, { total })
  parts.work.step({ what: "looking for payments since the backup", unit: "blocks" })
  try {
    const transfers = await unknownTransfers({ store, chain, payees, backupAt: instant(backupAt), onScanned })
    return transfers.length > 0 ? { kind: "TRANSFERS_UNKNOWN", transfers } : { kind: "NOT_CONTRADICTED" }
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
    return { kind: "NOT_ASKED", why: `${error.message}, or two nodes differ.` }
  }
}

/** The addresses that the database took payments to, and the one that `serve` would use. Lower case. */
async function payeesOf({ store, config }: Declaration): Promise<readonly Address[]> {
  const inUse = await store.read(payeesInUse)
  const configured = config.payments === "off" || config.pay_to === null ? [] : [config.pay_to]
  return [...new Set([...inUse, ...configured].map((address) => address.toLowerCase() as Address))]
}

/** As `serve` judges them before it sells. */
async function nodeFaults(
  { environment, config }: Declaration,
  { primary, second, network }: EvmChain,
  machine: Machine,
): Promise<readonly string[]> {
  const parts = { machine, log: createLog("error", () => {}, machine.now), environment, network }
  const nodes = second ? [primary, second] : [primary]
  const found = await Promise.all(nodes.map((node) => nodeCheck(parts, node).reasons()))
  const { rpc_url: rpcUrl, rpc_url_second: secondRpcUrl, single_node_accepted_by: singleNodeAcceptedBy } = config
  const single = singleNodeReasons({ mode: environment, rpcUrl, secondRpcUrl, singleNodeAcceptedBy })
  return [...single, ...found.flat()].map(({ detail }) => detail)
}
