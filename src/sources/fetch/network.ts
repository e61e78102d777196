/** The way out: names to addresses, and one connection to one address. Handed in, so that tests have their own internet. */
import { lookup } from "node:dns/promises"
import http, { type ClientRequest } from "node:http"
import https from "node:https"

export interface Dial {
  readonly isSecure: boolean
  /** An IP address: INVARIANT: never a name, so that what was checked is what is connected to. */
  readonly address: string
  readonly port: number
  /** Of the URL; TLS verifies the certificate for it. Null where the URL has an IP address itself. */
  readonly serverName: string | null
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Network {
  /** Every address of a name. */
  resolve(host: string): Promise<readonly string[]>
  /** A GET that was not sent yet. */
  open(dial: Dial): ClientRequest
}

export const realNetwork: Network = {
  async resolve(host) {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  },
  open: (dial) => (dial.isSecure ? https : http).request(requestOptions(dial)),
}

/** No agent: a pooled connection would have been checked for another request. Proxies of the environment are not used by these modules. */
export function requestOptions({ address, port, serverName, path, headers }: Dial): https.RequestOptions {
  return {
    host: address,
    port,
    path,
    headers,
    method: "GET",
    agent: false,
    // Said, because an environment variable left over from somebody's test would switch the verification off.
    rejectUnauthorized: true,
    ...(serverName === null ? {} : { servername: serverName }),
  }
}
