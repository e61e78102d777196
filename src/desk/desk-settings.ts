/** Where reviewers work, as the settings say it. */
import { type Config, ConfigError, originOf } from "../base/config.ts"
import { isLocal, type ListenAddress } from "../base/listen-address.ts"
import { socketPathFault } from "../base/unix-socket.ts"

export interface DeskSettings {
  readonly address: ListenAddress
  /** Null: `http://bizauth-desk.localhost` and the port that is bound. */
  readonly url: string | null
}

/** A name below `localhost` is a secure context without TLS, and a browser resolves it to this machine. */
const LOCAL_NAME = /\.localhost$/
const IP_LITERAL = /^(\d{1,3}(\.\d{1,3}){3}|\[.*\])$/

/** Returns null if the desk is off. Throws {@link ConfigError} with every fault. */
export function deskSettings(config: Config): DeskSettings | null {
  const { desk_listen: address, desk_url: url } = config
  if (address === null) {
    if (url === null) return null
    throw new ConfigError("desk_url has no effect without desk_listen: set desk_listen, or unset desk_url")
  }
  const faults = [...addressFaults(config, address), ...urlFaults(config, address)]
  if (faults.length > 0) throw new ConfigError(faults.join("\n"))
  return { address, url }
}

/** The origin at which reviewers open the desk. `port`: the one that was bound. */
export function deskOrigin({ url }: DeskSettings, port: number): string {
  return url ?? `http://bizauth-desk.localhost:${port}`
}

function addressFaults({ listen, admin_listen }: Config, address: ListenAddress): readonly string[] {
  const others = { listen, admin_listen }
  const [taken] = Object.entries(others).flatMap(([name, other]) =>
    other !== null && isSameAddress(address, other) ? [name] : [],
  )
  const tooLong = address.kind === "unix" ? socketPathFault(address.path) : null
  return [
    ...(tooLong === null ? [] : [`desk_listen ${tooLong}`]),
    ...(taken === undefined ? [] : [`desk_listen and ${taken} are both ${address.text}: take another one`]),
    ...(isLocal(address)
      ? []
      : [
          `desk_listen = ${address.text} can be reached from other machines: listen on 127.0.0.1 or a Unix socket, and let a proxy or ssh -L bring reviewers`,
        ]),
  ]
}

function isSameAddress(one: ListenAddress, other: ListenAddress): boolean {
  if (one.kind === "unix") return other.kind === "unix" && one.path === other.path
  return other.kind === "tcp" && one.port !== 0 && one.text === other.text
}

function urlFaults(config: Config, address: ListenAddress): readonly string[] {
  const { desk_url: text } = config
  if (text === null) {
    return address.kind === "unix"
      ? [`desk_listen = ${address.text} is a Unix socket, which has no port: set desk_url to the origin in the browser`]
      : []
  }
  const { protocol, hostname } = new URL(text)
  return [
    ...(protocol === "https:" || LOCAL_NAME.test(hostname)
      ? []
      : [`desk_url = ${text}: take https, or http with a name that ends in .localhost; other names have no passkeys`]),
    ...(IP_LITERAL.test(hostname) || hostname === "localhost"
      ? [`desk_url = ${text}: take the name of a host of its own, because an address or localhost has no passkey`]
      : []),
    ...(hostname === new URL(originOf(config)).hostname
      ? [`desk_url = ${text} has the host of base_url: take another one, so that no cookie and no passkey is shared`]
      : []),
  ]
}
