/** Decides from the URLs alone which endpoints payments may use, before any network query. */
import { isLoopbackName } from "../base/loopback.ts"
import type { Network } from "./networks/network.ts"

interface EnvironmentConfig {
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
export function urlProblems(config: EnvironmentConfig, { asset, isLive }: Network): string[] {
  const problems: string[] = []
  const urls = [config.rpcUrl, ...(config.secondRpcUrl ? [config.secondRpcUrl] : [])]
  if (!urls.every(isTrustedTransport)) problems.push("an RPC URL is neither https nor loopback")
  if (config.mode === "live" && !isLive) problems.push(`live payments do not settle on chain ${asset.chainId}`)
  if (config.mode === "test" && isLive && !urls.every(isLoopbackUrl)) {
    // The same signature is valid on the live chain, so a test that reaches a real node would move real money.
    problems.push(`test payments on chain ${asset.chainId} need a loopback RPC`)
  }
  return problems
}
