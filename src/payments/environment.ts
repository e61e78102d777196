/** Whether this chain may be used in this environment, asked once at start and by `doctor`; the answer is a list. */
import { type EvmChain, type EvmNode, RpcUnavailable, readAsset } from "./rpc.ts"
import { domainSeparatorOf, USDC_BASE, USDC_BASE_DOMAIN_SEPARATOR } from "./usdc.ts"

/** Rulings 40: `live` with a clock further than this from the chain head sells nothing. */
export const CLOCK_SKEW_SECONDS_MAX = 30

export interface EnvironmentConfig {
  readonly mode: "test" | "live"
  readonly rpcUrl: string
  readonly secondRpcUrl?: string
}

/** True for URLs that cannot leave this machine. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** https, or a plain connection that does not leave the machine: an answer on the way could be forged. */
export function isTrustedTransport(url: string): boolean {
  return new URL(url).protocol === "https:" || isLoopbackUrl(url)
}

/**
 * Problems in words, empty when payments may be switched on. `nowSeconds` is the service's clock. Never throws for a
 * node that does not answer: that is a problem in the list.
 */
export async function assertEnvironment(
  config: EnvironmentConfig,
  chain: EvmChain,
  nowSeconds: number,
): Promise<string[]> {
  const nodes = chain.second ? [chain.primary, chain.second] : [chain.primary]
  const ofNodes = await Promise.all(nodes.map((node) => nodeProblems(config.mode, chain, node, nowSeconds)))
  return [...urlProblems(config, chain), ...ofNodes.flat()]
}

function urlProblems(config: EnvironmentConfig, chain: EvmChain): string[] {
  const problems: string[] = []
  const urls = [config.rpcUrl, ...(config.secondRpcUrl ? [config.secondRpcUrl] : [])]
  if (!urls.every(isTrustedTransport)) problems.push("an RPC URL is neither https nor loopback")
  if (config.mode === "live" && chain.asset !== USDC_BASE)
    problems.push("live payments settle in USDC on chain 8453 only")
  if (config.mode === "test" && chain.asset.chainId === USDC_BASE.chainId && !urls.every(isLoopbackUrl)) {
    // The same signature is valid on mainnet: a test that reaches a real node would move real money.
    problems.push("test payments on chain 8453 need a loopback RPC")
  }
  return problems
}

async function nodeProblems(
  mode: "test" | "live",
  chain: EvmChain,
  node: EvmNode,
  nowSeconds: number,
): Promise<string[]> {
  const problems: string[] = []
  const { asset } = chain
  // Asked at once, so that a start waits for one round trip; judged in order, because another chain has another token.
  const [chainId, separator, head] = await Promise.allSettled([
    node.ask("eth_chainId", (client) => client.getChainId()),
    readAsset(node, asset, "DOMAIN_SEPARATOR", []),
    node.block("latest"),
  ])
  try {
    const found = answered(chainId)
    if (found !== asset.chainId) return [`${node.name} node is on chain ${found}, not ${asset.chainId}`]
    const expected = asset === USDC_BASE ? USDC_BASE_DOMAIN_SEPARATOR : domainSeparatorOf(asset)
    if (answered(separator) !== expected) problems.push(`${node.name} node: the asset has another DOMAIN_SEPARATOR`)
    const skew = Math.abs(answered(head).timestamp - nowSeconds)
    if (mode === "live" && skew > CLOCK_SKEW_SECONDS_MAX) {
      problems.push(`${node.name} node: chain head and clock are ${skew} s apart`)
    }
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
    problems.push(error.message)
  }
  return problems
}

/** Throws what was thrown in place of the answer. */
function answered<Answer>(settled: PromiseSettledResult<Answer>): Answer {
  if (settled.status === "rejected") throw settled.reason
  return settled.value
}
