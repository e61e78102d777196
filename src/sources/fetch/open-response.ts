/**
 * Sends one request to one URL, without redirects: resolve the name, check every address, connect to a checked address, read the head. The
 * connection uses the literal address, so a second resolution cannot lead elsewhere (DNS rebinding). TLS still verifies the name.
 */
import type { ClientRequest, IncomingMessage } from "node:http"
import { hostOf, isOfMirror, type Mirror } from "./allowed-url.ts"
import type { Network } from "./network.ts"
import { isPublicAddress } from "./public-address.ts"
import { shownUrl, TransferFault } from "./transfer-fault.ts"
import type { TransferLimits } from "./transfer-limits.ts"

export interface Transport {
  readonly network: Network
  readonly mirror: Mirror | null
  readonly limits: TransferLimits
  /** `bizauth/VERSION` and the operator's contact. Publishers reject requests without a contact. */
  readonly userAgent: string
}

export interface GetRequest {
  readonly url: URL
  /**
   * `if-none-match` and `if-modified-since`, or none. They go to every hop, because publishers redirect to the file store that knows the
   * ETags, and they are not secret.
   */
  readonly conditions: Readonly<Record<string, string>>
  /** Aborts the whole transfer. */
  readonly signal: AbortSignal
}

export interface OpenResponse {
  readonly response: IncomingMessage
  readonly request: ClientRequest
}

/** Throws {@link TransferFault}. */
export async function openResponse(wanted: GetRequest, transport: Transport): Promise<OpenResponse> {
  const { url, signal } = wanted
  const addresses = await checkedAddresses(url, transport)
  let last: TransferFault | null = null
  for (const address of addresses) {
    try {
      return await ask(wanted, address, transport)
    } catch (error) {
      if (!(error instanceof TransferFault) || !error.code.startsWith("CONNECT_") || signal.aborted) throw error
      last = error
    }
  }
  throw last ?? new TransferFault("DNS_FAILED", `${hostOf(url).host} has no address`)
}

/** CHOICE: one private address among the addresses of a name rejects the name. A publisher has no such address; an attacker may. */
async function checkedAddresses(url: URL, transport: Transport): Promise<readonly string[]> {
  const { host, isAddress } = hostOf(url)
  const addresses = isAddress ? [host] : await resolve(host, transport)
  if (isOfMirror(url, transport.mirror)) return addresses
  const refused = addresses.find((address) => !isPublicAddress(address))
  if (refused !== undefined) {
    throw new TransferFault("ADDRESS_REFUSED", `${host} is ${refused}, which is not a public internet address`)
  }
  return addresses
}

async function resolve(host: string, { network, limits }: Transport): Promise<readonly string[]> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new TransferFault("DNS_FAILED", `${host}: no answer within ${limits.resolveMs} ms`)),
    limits.resolveMs,
  )
  try {
    return await Promise.race([network.resolve(host), late.promise])
  } catch (error) {
    throw error instanceof TransferFault ? error : new TransferFault("DNS_FAILED", `${host}: ${codeOf(error)}`)
  } finally {
    clearTimeout(timer)
  }
}

function ask(
  { url, conditions, signal }: GetRequest,
  address: string,
  { network, limits, userAgent }: Transport,
): Promise<OpenResponse> {
  const isSecure = url.protocol === "https:"
  const { host, isAddress } = hostOf(url)
  const request = network.open({
    isSecure,
    address,
    port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    serverName: isAddress ? null : host,
    path: url.pathname + url.search,
    headers: { host: url.host, "user-agent": userAgent, accept: "*/*", "accept-encoding": "identity", ...conditions },
  })
  return new Promise((give, reject) => {
    let isConnected = false
    let timer = setTimeout(
      () => end("CONNECT_TIMED_OUT", `not connected within ${limits.connectMs} ms`),
      limits.connectMs,
    )
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", abort)
    }
    const end = (code: TransferFault["code"], why: string) => {
      settle()
      request.destroy()
      reject(new TransferFault(code, `${shownUrl(url)}: ${why}`))
    }
    const abort = () => end("TIMED_OUT", `not done within ${limits.wholeMs} ms`)
    signal.addEventListener("abort", abort, { once: true })
    request.on("socket", (socket) => {
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        isConnected = true
        clearTimeout(timer)
        timer = setTimeout(() => end("TIMED_OUT", `no answer within ${limits.firstByteMs} ms`), limits.firstByteMs)
      })
    })
    // After the head, the reader of the body gets the connection error. Without this listener the error would end the process.
    request.on("error", (error) => {
      if (isTlsFault(error)) end("TLS_FAILED", codeOf(error))
      else end(isConnected ? "PROTOCOL" : "CONNECT_FAILED", codeOf(error))
    })
    request.on("response", (response) => {
      settle()
      give({ response, request })
    })
    if (signal.aborted) abort()
    else request.end()
  })
}

function isTlsFault(error: unknown): boolean {
  return /CERT|TLS|SSL|SELF_SIGNED|SIGNATURE|ALTNAME|UNABLE_TO/.test(codeOf(error))
}

/** Returns the error code only. The runtime's error messages may repeat what was sent. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown failure"
  return "code" in error && typeof error.code === "string" ? error.code : error.name
}
