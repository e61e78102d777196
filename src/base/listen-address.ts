/** Addresses that a server listens on. */

export interface TcpAddress {
  /** HOST:PORT, as the operator wrote it. */
  readonly text: string
  /** As written, IPv6 in brackets. */
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
}

/** `text` is HOST:PORT. */
export function tcpAddress(text: string): TcpAddress {
  const colon = text.lastIndexOf(":")
  return { text, host: text.slice(0, colon), port: Number(text.slice(colon + 1)) }
}

/** Where the operator reads metrics. `text` is as the operator wrote it. */
export type AdminAddress =
  | { readonly kind: "unix"; readonly text: string; readonly path: string }
  /** `host` in lower case, IPv6 in brackets. */
  | ({ readonly kind: "tcp" } & TcpAddress)

/** `text` is an absolute path or HOST:PORT. */
export function adminAddress(text: string): AdminAddress {
  if (text.startsWith("/")) return { kind: "unix", text, path: text }
  const { host, port } = tcpAddress(text)
  return { kind: "tcp", text, host: host.toLowerCase(), port }
}
