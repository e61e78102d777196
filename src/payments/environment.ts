/** Decides from the URLs alone which endpoints payments may use, before any network query. */
import { isLoopbackName } from "../base/loopback.ts"
import { type Asset, USDC_BASE } from "./usdc.ts"

export interface EnvironmentConfig {
  readonly mode: "test" | "live"
  readonly rpcUrl: string
  readonly secondRpcUrl?: string | null
}

/** True for URLs that cannot leave this machine. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackName(new URL(url).hostname)
}

/** https, or a plain connection within this machine. On any other connection a response could be forged. */
export function isTrustedTransport(url: string): boolean {
  return new URL(url).protocol === "https:" || isLoopbackUrl(url)
}

/** Two endpoints of one host fail, or lie, together, whatever their ports and paths. All names of this machine count as one host. */
export function isOneHost(a: string, b: string): boolean {
  if (isLoopbackUrl(a) && isLoopbackUrl(b)) return true
  const host = (url: string) => new URL(url).hostname.replace(/\.$/, "")
  return host(a) === host(b)
}

/** Problems as sentences; empty when payments may use these endpoints. */
export function urlProblems(config: EnvironmentConfig, asset: Asset): string[] {
  const problems: string[] = []
  const urls = [config.rpcUrl, ...(config.secondRpcUrl ? [config.secondRpcUrl] : [])]
  if (!urls.every(isTrustedTransport)) problems.push("an RPC URL is neither https nor loopback")
  if (config.mode === "live" && asset !== USDC_BASE) problems.push("live payments settle in USDC on chain 8453 only")
  if (config.mode === "test" && asset.chainId === USDC_BASE.chainId && !urls.every(isLoopbackUrl)) {
    // The same signature is valid on mainnet, so a test that reaches a real node would move real money.
    problems.push("test payments on chain 8453 need a loopback RPC")
  }
  return problems
}
