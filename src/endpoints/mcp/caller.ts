/** Who may call the endpoint from a browser, and under which name. It protects a service on a developer's machine from web pages. */

import { ServiceError } from "../../base/errors.ts"
import { isLoopbackName } from "../../base/loopback.ts"

interface CallerRules {
  readonly baseUrl: string
  /** True if the service listens on a loopback address only. */
  readonly isLocal: boolean
}

/**
 * Returns a guard that throws ORIGIN_REFUSED for a present Origin header of another site, and HOST_REFUSED for a foreign Host header if the
 * service listens on loopback only (DNS rebinding). CHOICE: pages of the service's own origin are accepted, and pages of any loopback
 * origin if the service is local. An agent that is no browser sends no Origin.
 */
export function callerGuard({ baseUrl, isLocal }: CallerRules): (headers: Headers) => void {
  const { origin: ownOrigin, hostname: ownHost } = new URL(baseUrl)
  return (headers) => {
    const origin = headers.get("origin")
    if (origin !== null && origin !== ownOrigin && !(isLocal && isLoopbackOrigin(origin))) {
      throw new ServiceError("ORIGIN_REFUSED", "Call without an Origin header, or from a page of this service.")
    }
    if (!isLocal) return
    const host = hostnameOf(headers.get("host"))
    if (host !== null && host !== ownHost && !isLoopbackName(host)) {
      throw new ServiceError("HOST_REFUSED", "Send the host name of the service's own address.")
    }
  }
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin)
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackName(url.hostname)
}

/** Null without a header. An unreadable header is a name that is never accepted. */
function hostnameOf(host: string | null): string | null {
  if (host === null) return null
  return URL.parse(`http://${host}`)?.hostname ?? ""
}
