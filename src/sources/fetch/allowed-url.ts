/** Rules for the URLs that a fetch may request. Checked before any name is resolved. */
import { isIP } from "node:net"
import { shownUrl, TransferFault } from "./transfer-fault.ts"

export interface Mirror {
  /** Its path ends in a slash, because the files lie below it. */
  readonly base: URL
}

/**
 * CHOICE: plain http and private addresses are accepted only for the mirror's exact origin, also after the mirror redirects. Every other
 * URL must use https on its usual port.
 */
export function isOfMirror(url: URL, mirror: Mirror | null): boolean {
  return mirror !== null && url.origin === mirror.base.origin
}

/** Throws {@link TransferFault} for a URL that is not allowed. `from` is the URL that redirected here, or null for the first URL. */
export function requireAllowed(url: URL, mirror: Mirror | null, from: URL | null): void {
  const reject = (why: string): never => {
    throw new TransferFault(
      "URL_REFUSED",
      `${from ? `${shownUrl(from)} redirects to ${shownUrl(url)}` : shownUrl(url)}: ${why}`,
    )
  }
  if (url.username !== "" || url.password !== "") reject("a user or password in it")
  if (from?.protocol === "https:" && url.protocol !== "https:") reject("from https to http")
  if (isOfMirror(url, mirror)) return
  if (url.protocol !== "https:") reject("https only")
  if (url.port !== "") reject("another port than that of https")
}

/** Returns the host without the brackets of an IPv6 address, and whether it is an IP address. */
export function hostOf(url: URL): { readonly host: string; readonly isAddress: boolean } {
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname
  return { host, isAddress: isIP(host) !== 0 }
}
