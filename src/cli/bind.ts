import { accessSync, constants } from "node:fs"
import { dirname } from "node:path"
import { adminSettings } from "../admin/admin-settings.ts"
import type { AdminServer } from "../admin/open-admin.ts"
import type { Config } from "../base/config.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { TcpAddress } from "../base/listen-address.ts"
import type { Log } from "../base/log.ts"
import { realMachine } from "../base/machine.ts"
import { SECOND } from "../core/time.ts"
import { type Listener, listen } from "../http/listen.ts"
import type { ProcessCounts } from "../http/process-counts.ts"

/** Throws CommandError (6) if the service cannot listen on the address of the settings. */
export function bind(
  { listen: address, trusted_proxies: trustedProxies }: Config,
  log: Log,
  counts?: ProcessCounts,
): Listener {
  try {
    return listen(address, { machine: realMachine, log, trustedProxies, ...(counts && { counts }) })
  } catch (error) {
    throw new CommandError(EXIT.CONFIG, `cannot listen on ${address.text}: ${codeOf(error)}`)
  }
}

/** Returns why nothing can ever listen on the address, or null. A port in use is not a fault of the setting: a server may be running. */
export async function listenFault(address: TcpAddress, log: Log): Promise<string | null> {
  try {
    await listen(address, { machine: realMachine, log, trustedProxies: new Set() }).stop(0)
    return null
  } catch (error) {
    const code = codeOf(error)
    return code === "EADDRINUSE" ? null : `cannot listen on ${address.text}: ${code}`
  }
}

/** Binds the admin listener; null if it is off. Throws CommandError (6), and ConfigError for its settings. */
export async function bindAdmin(config: Config, log: Log): Promise<AdminServer | null> {
  const settings = adminSettings(config)
  if (settings === null) return null
  const { openAdmin } = await import("../admin/open-admin.ts")
  try {
    return openAdmin({ ...settings, log, startedAt: realMachine.now() - process.uptime() * SECOND })
  } catch (error) {
    throw new CommandError(EXIT.CONFIG, `cannot listen on admin_listen = ${settings.address.text}: ${codeOf(error)}`)
  }
}

/** Returns why nothing can ever listen on `admin_listen`, or null. */
export async function adminListenFault({ admin_listen: address }: Config, log: Log): Promise<string | null> {
  if (address === null) return null
  if (address.kind === "tcp") {
    const fault = await listenFault(address, log)
    return fault === null ? null : `admin_listen: ${fault}`
  }
  const folder = dirname(address.path)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return `admin_listen: cannot make a socket in ${folder}: ${codeOf(error)}`
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error)
}
