/**
 * Outgoing network access: name resolution, and one connection to one address. It is a parameter, so that tests run without the internet.
 */
import { lookup } from "node:dns/promises"
import http, { type ClientRequest } from "node:http"
import https from "node:https"

export interface Dial {
  readonly isSecure: boolean
  /** An IP address. INVARIANT: never a name, so that the connection goes to the address that was checked. */
  readonly address: string
  readonly port: number
  /** Host name of the URL; TLS verifies the certificate for it. Null if the URL contains an IP address. */
  readonly serverName: string | null
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Network {
  /** Returns every address of a name. */
  resolve(host: string): Promise<readonly string[]>
  /** Creates a GET request that is not sent yet. */
  open(dial: Dial): ClientRequest
}

export const realNetwork: Network = {
  async resolve(host) {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  },
  open: (dial) => (dial.isSecure ? https : http).request(requestOptions(dial)),
}

/**
 * Uses no agent, because the address of a pooled connection was checked for another request. These modules ignore proxy environment
 * variables.
 */
export function requestOptions({ address, port, serverName, path, headers }: Dial): https.RequestOptions {
  return {
    host: address,
    port,
    path,
    headers,
    method: "GET",
    agent: false,
    // Set explicitly, because a leftover environment variable could switch the verification off.
    rejectUnauthorized: true,
    ...(serverName === null ? {} : { servername: serverName }),
  }
}
