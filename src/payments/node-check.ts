/** Checks that a node responds, is on the configured chain, and agrees with this machine's clock. */
import type { StatedEnvironment } from "../../schemas/environment.ts"
import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import { inBrackets } from "../base/network-fault.ts"
import type { Check, Reason } from "../base/readiness.ts"
import { SECOND } from "../core/time.ts"
import type { Network } from "./networks/network.ts"
import { type EvmNode, RpcUnavailable, readAsset, readNumber } from "./rpc.ts"

/** With `live`, sales stop when the clock differs from the chain head by more than this (rulings 40). */
const CLOCK_SKEW_SECONDS_MAX = 30

interface NodeCheckParts {
  readonly machine: Pick<Machine, "now">
  readonly log: Log
  readonly environment: StatedEnvironment
  readonly network: Network
}

/**
 * INVARIANT: a node is verified only while every check since its last correct response to both queries has found it on the configured chain.
 * Its chain id is queried at every check, because another node may serve the same URL later; the token's domain is queried once.
 */
export function nodeCheck({ machine, log, environment, network }: NodeCheckParts, node: EvmNode): Check {
  const { asset, domainSeparator } = network
  let verified = false

  async function query(): Promise<readonly Reason[]> {
    const wasVerified = verified
    verified = false
    // Queried in parallel, so that a check takes one round trip. Judged in order, because another chain has another token.
    const [chainId, separator, head] = await Promise.allSettled([
      node.query(readNumber, "eth_chainId"),
      wasVerified ? domainSeparator : readAsset(node, asset, "DOMAIN_SEPARATOR", []),
      node.block("latest"),
    ])
    const found = answered(chainId)
    if (found !== asset.chainId) return otherChain(found)
    if (answered(separator) !== domainSeparator) return otherToken()
    const skew = Math.abs(answered(head).timestamp - Math.floor(machine.now() / SECOND))
    verified = true
    return environment === "live" && skew > CLOCK_SKEW_SECONDS_MAX ? [CLOCK_OFF] : []
  }

  function otherChain(found: number): Reason[] {
    log.error("wrong_chain", { node: node.name, chain_id: found, expected_chain_id: asset.chainId })
    return [{ code: "WRONG_CHAIN", detail: `The ${node.name} node is on chain ${found}, not ${asset.chainId}.` }]
  }

  function otherToken(): Reason[] {
    log.error("wrong_chain", { node: node.name, domain_separator: "differs" })
    return [{ code: "WRONG_CHAIN", detail: `The ${node.name} node's USDC has another DOMAIN_SEPARATOR.` }]
  }

  return {
    name: `${node.name} node`,
    reasons: async () => {
      try {
        return await query()
      } catch (error) {
        if (!(error instanceof RpcUnavailable)) throw error
        return [unavailable(node.name, error), unverified(node)]
      }
    },
  }
}

export function unavailable(name: EvmNode["name"], { code }: RpcUnavailable): Reason {
  return { code: "CHAIN_UNAVAILABLE", detail: `The payment network's ${name} node does not answer${inBrackets(code)}.` }
}

function unverified({ name }: EvmNode): Reason {
  const detail = `Chain and token of the ${name} node were not verified since the start or its last outage.`
  return { code: "CHAIN_UNVERIFIED", detail }
}

const CLOCK_OFF: Reason = {
  code: "CLOCK_OFF",
  detail: `The server's clock and the chain head differ by more than ${CLOCK_SKEW_SECONDS_MAX} seconds.`,
}

/** Returns the value, or throws the rejection. */
function answered<Answer>(settled: PromiseSettledResult<Answer>): Answer {
  if (settled.status === "rejected") throw settled.reason
  return settled.value
}
