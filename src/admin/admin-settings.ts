/** Reads the settings of the admin listener. */

import { type Config, ConfigError } from "../base/config.ts"
import { readSecretFile, SecretFileError } from "../base/secret-file.ts"
import { type AdminAddress, adminAddress, isLocal, socketPathFault } from "./admin-address.ts"
import { digestOfToken } from "./admin-token.ts"

export interface AdminSettings {
  readonly address: AdminAddress
  /** SHA-256 of the token that a reader must send; null if none is needed. */
  readonly tokenDigest: Buffer | null
}

/** Returns null if the listener is off. Throws {@link ConfigError}: a listener that others can reach never starts without a token. */
export function adminSettings({ admin_listen, admin_token_file, listen }: Config): AdminSettings | null {
  if (admin_listen === "") return null
  const address = adminAddress(admin_listen)
  if (address.kind === "unix") {
    const fault = socketPathFault(address.path)
    if (fault !== null) throw new ConfigError(`admin_listen ${fault}`)
  } else if (address.port !== 0 && admin_listen === listen) {
    throw new ConfigError(`admin_listen and listen are both ${listen}: take another port`)
  }
  if (admin_token_file === "") {
    if (isLocal(address)) return { address, tokenDigest: null }
    throw new ConfigError(
      `admin_listen = ${admin_listen} can be reached from other machines: set admin_token_file, or listen on 127.0.0.1 or a Unix socket`,
    )
  }
  return { address, tokenDigest: digestOfToken(tokenIn(admin_token_file)) }
}

const TOKEN = /^[\x21-\x7e]{32,200}$/

function tokenIn(path: string): string {
  try {
    const token = new TextDecoder().decode(readSecretFile(path)).trim()
    if (TOKEN.test(token)) return token
    throw new SecretFileError(`${path} must hold one token of 32 to 200 visible ASCII characters`)
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(`admin_token_file: ${error.message}`) : error
  }
}
