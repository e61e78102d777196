/** Addresses that a server listens on. */
import { isLoopbackName } from "./loopback.ts"

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

/** `text` is as the operator wrote it; `path` is absolute. */
export type ListenAddress =
  | { readonly kind: "unix"; readonly text: string; readonly path: string }
  | ({ readonly kind: "tcp" } & TcpAddress)

/** Before the path of a Unix socket. */
export const UNIX = "unix:"

/** `text` is HOST:PORT, `unix:` and an absolute path, or the path alone. */
export function listenAddress(text: string): ListenAddress {
  const path = text.startsWith(UNIX) ? text.slice(UNIX.length) : text
  return path.startsWith("/") ? { kind: "unix", text, path } : { kind: "tcp", ...tcpAddress(text) }
}

/** Whether only this machine can reach it. */
export function isLocal(address: ListenAddress): boolean {
  return address.kind === "unix" || isLoopbackName(address.host)
}

/** Whether a port is bound that only this machine reaches. Behind a Unix socket is a proxy, whose clients may be anywhere. */
export function listensOnLoopback(address: ListenAddress): boolean {
  return address.kind === "tcp" && isLoopbackName(address.host)
}
