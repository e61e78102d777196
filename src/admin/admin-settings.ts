import { type Config, ConfigError } from "../base/config.ts"
import { isLocal, type ListenAddress } from "../base/listen-address.ts"
import { secretOf } from "../base/secret-setting.ts"
import { socketPathFault } from "../base/unix-socket.ts"
import { digestOfToken } from "./admin-token.ts"

/** What the admin listener needs of the settings. */
interface AdminSettings {
  readonly address: ListenAddress
  /** SHA-256 of the token that a reader must send; null if none is needed. */
  readonly tokenDigest: Buffer | null
}

/**
 * Returns null if the listener is off. Reads the file of the token. Throws {@link ConfigError}: a listener that others can reach never starts
 * without a token.
 */
export function adminSettings(config: Config): AdminSettings | null {
  const { admin_listen: address, listen } = config
  if (address === null) return null
  if (address.kind === "unix") {
    const fault = socketPathFault(address.path)
    if (fault !== null) throw new ConfigError(`admin_listen ${fault}`)
    if (listen.kind === "unix" && address.path === listen.path) {
      throw new ConfigError(`admin_listen and listen are both ${listen.path}: take another path`)
    }
  } else if (address.port !== 0 && address.text === listen.text) {
    throw new ConfigError(`admin_listen and listen are both ${listen.text}: take another port`)
  }
  const token = secretOf(config, "admin_token_file")
  if (token !== null) return { address, tokenDigest: digestOfToken(token) }
  if (isLocal(address)) return { address, tokenDigest: null }
  throw new ConfigError(
    `admin_listen = ${address.text} can be reached from other machines: set admin_token_file, or listen on 127.0.0.1 or a Unix socket`,
  )
}
