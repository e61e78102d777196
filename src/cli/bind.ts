import { accessSync, constants } from "node:fs"
import { dirname } from "node:path"
import type { AccessLog } from "../base/access-log.ts"
import { type Config, ConfigError, originOf } from "../base/config.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { ListenAddress } from "../base/listen-address.ts"
import type { Log } from "../base/log.ts"
import { realMachine } from "../base/machine.ts"
import { requireNoOtherFile, SocketPlaceError } from "../base/unix-socket.ts"
import { type Listener, listen, listenOnSocket } from "../http/listen.ts"
import type { ProcessCounts } from "../http/process-counts.ts"
import { socketListenFaults } from "../server/config-rules.ts"

interface BindParts {
  readonly log: Log
  readonly counts: ProcessCounts | undefined
  readonly access: AccessLog | undefined
}

/** Throws CommandError (6) if the service cannot listen on the address of the settings, and ConfigError for its settings. */
export async function bind(config: Config, { log, counts, access }: BindParts): Promise<Listener> {
  const { listen: address, trusted_proxies: trustedProxies } = config
  const faults = socketListenFaults(config)
  if (faults.length > 0) throw new ConfigError(faults.join("\n"))
  const shell = { machine: realMachine, log, trustedProxies, ...(counts && { counts }), ...(access && { access }) }
  try {
    return address.kind === "unix"
      ? await listenOnSocket({ path: address.path, baseUrl: originOf(config) }, shell)
      : listen(address, shell)
  } catch (error) {
    throw new CommandError(EXIT.CONFIG, `cannot listen on ${address.text}: ${whyNot(error)}`)
  }
}

/**
 * Returns why nothing can ever listen on the address, or null. An address in use is not a fault of the setting: a server may be running. Makes no
 * Unix socket.
 */
export async function listenFault(address: ListenAddress, log: Log): Promise<string | null> {
  if (address.kind === "unix") return socketFault(address)
  try {
    await listen(address, { machine: realMachine, log, trustedProxies: new Set() }).stop(0)
    return null
  } catch (error) {
    const code = codeOf(error)
    return code === "EADDRINUSE" ? null : `cannot listen on ${address.text}: ${code}`
  }
}

/** Settings of the listeners beside the public one. */
const BESIDE = ["admin_listen", "desk_listen"] as const

/** Why nothing can ever listen on the addresses beside the public one; empty if it can. */
export async function besideListenFaults(config: Config, log: Log): Promise<readonly string[]> {
  const faults: string[] = []
  for (const name of BESIDE) {
    const address = config[name]
    const fault = address && (await listenFault(address, log))
    if (fault !== null) faults.push(`${name}: ${fault}`)
  }
  return faults
}

function socketFault({ text, path }: { readonly text: string; readonly path: string }): string | null {
  const folder = dirname(path)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    requireNoOtherFile(path)
    return null
  } catch (error) {
    return error instanceof SocketPlaceError
      ? `cannot listen on ${text}: ${error.message}`
      : `cannot make a socket in ${folder}: ${codeOf(error)}`
  }
}

/** Why an address cannot be listened on: a sentence about the socket, or the code of the operating system. */
export function whyNot(error: unknown): string {
  return error instanceof SocketPlaceError ? error.message : codeOf(error)
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error)
}
