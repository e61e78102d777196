/**
 * Environment variables that the runtime or the system's loader obeys before and in addition to the service's own settings. Each was tested
 * against the compiled file. NODE_OPTIONS, SSLKEYLOGFILE and BUN_RUNTIME_TRANSPILER_CACHE_PATH have no effect there. BUN_OPTIONS, BUN_BE_BUN
 * and the loader's variables act before the first line of this program, so whoever sets them owns the process; they are named where this
 * code still runs.
 */

import { CommandError, EXIT } from "../base/exit.ts"
import type { Input } from "./command.ts"

type Environment = Input["environment"]

interface Refused {
  readonly names: readonly string[]
  /** Refuses every variable that begins with it, beside `names`. */
  readonly prefix?: string
  /** The effect, as the end of a sentence that begins with the name. */
  readonly does: string
  readonly isHarmless?: (value: string) => boolean
}

const isOff = (value: string): boolean => value === "0" || value === "false"

const REFUSED: readonly Refused[] = [
  {
    names: ["NODE_TLS_REJECT_UNAUTHORIZED"],
    does: "lets any server pass for a node or a facilitator, because no certificate is checked",
    isHarmless: (value) => value === "1",
  },
  {
    // CHOICE: an authority that the environment adds is refused, also one of the operator's own network. The settings do not show it, and it
    // could sign a certificate for every node, facilitator and publisher. A private server is reached through a proxy on this machine.
    names: ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
    does: "adds authorities that can sign a certificate for any server",
  },
  {
    names: ["NODE_USE_SYSTEM_CA"],
    does: "adds the authorities of the system, which can sign a certificate for any server",
    isHarmless: isOff,
  },
  { names: ["BUN_CONFIG_VERBOSE_FETCH"], does: "prints every request with its keys", isHarmless: isOff },
  { names: ["BUN_OPTIONS"], does: "gives options of the runtime, which may load other code" },
  { names: ["BUN_BE_BUN"], does: "turns the file into another program", isHarmless: isOff },
  {
    names: ["BUN_INSPECT", "BUN_INSPECT_CONNECT_TO", "BUN_INSPECT_PRELOAD"],
    does: "opens a debugger, which reads every key",
  },
  {
    names: [],
    prefix: "BUN_JSC_",
    does: "sets an option of the engine, which can print what the program runs or change how it runs",
  },
  {
    names: ["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"],
    does: "lets the system's loader put other code into the process",
  },
]

/** Every command. Throws CommandError (2) that names each refused variable; it does not repeat the values. */
export function requirePlainEnvironment(environment: Environment): void {
  const found = REFUSED.flatMap(({ names, prefix, does, isHarmless }) =>
    [...names, ...(prefix === undefined ? [] : Object.keys(environment).filter((name) => name.startsWith(prefix)))]
      .filter((name) => isSet(environment, name) && !isHarmless?.(environment[name] ?? ""))
      .map((name) => ({ name, does })),
  )
  if (found.length === 0) return
  const faults = found.map(({ name, does }) => `${name} (environment) ${does}; unset it: env -u ${name} bizauth …`)
  throw new CommandError(EXIT.USAGE, faults.join("\n"))
}

const PROXIES = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]

/** Names of all variables that a server refuses, without those of a prefix. The unit unsets them. */
export const REFUSED_NAMES: readonly string[] = [...REFUSED.flatMap(({ names }) => names), ...PROXIES]

/**
 * Commands that send to the operator's nodes. Throws CommandError (2).
 *
 * CHOICE: proxies of the environment are refused there, and not ignored: with one, plain http to a node on this machine would leave the
 * machine. A caller's commands follow them, because a caller's network may have no other way out and https hides what is sent. Publishers and
 * registers are never asked through one.
 */
export function requireNoProxy(environment: Environment): void {
  if ([environment["NO_PROXY"], environment["no_proxy"]].includes("*")) return
  const found = PROXIES.filter((name) => isSet(environment, name))
  if (found.length === 0) return
  const faults = found.map(
    (name) =>
      `${name} (environment) sends what is meant for nodes and facilitators to a proxy; unset it (env -u ${name} bizauth …), or set NO_PROXY=*`,
  )
  throw new CommandError(EXIT.USAGE, faults.join("\n"))
}

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? "") !== ""
}
