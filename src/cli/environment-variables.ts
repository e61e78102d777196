/**
 * Environment variables that the runtime obeys before and in addition to the service's own settings. Each was tested against the compiled
 * file. Variables that only add a trusted authority (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE) stay allowed. NODE_OPTIONS and SSLKEYLOGFILE have
 * no effect. BUN_BE_BUN turns the file into another program, which this code cannot prevent.
 */

import { CommandError, EXIT } from "../exit.ts"
import type { Input } from "./command.ts"

type Environment = Input["environment"]

interface Refused {
  readonly names: readonly string[]
  /** The effect, as the end of a sentence that begins with the name. */
  readonly does: string
  readonly isHarmless?: (value: string, environment: Environment) => boolean
  readonly wayOut: string
}

const UNSET = "unset it"

const REFUSED: readonly Refused[] = [
  {
    names: ["NODE_TLS_REJECT_UNAUTHORIZED"],
    does: "lets any server pass for a node or a facilitator, because no certificate is checked",
    isHarmless: (value) => value === "1",
    wayOut: "unset it, and name the authority of a private certificate in NODE_EXTRA_CA_CERTS",
  },
  {
    names: ["BUN_CONFIG_VERBOSE_FETCH"],
    does: "prints every request with its keys",
    isHarmless: (value) => value === "0" || value === "false",
    wayOut: UNSET,
  },
  { names: ["BUN_OPTIONS"], does: "gives options of the runtime, which may load other code", wayOut: UNSET },
  {
    names: ["BUN_INSPECT", "BUN_INSPECT_CONNECT_TO", "BUN_INSPECT_PRELOAD"],
    does: "opens a debugger, which reads every key",
    wayOut: UNSET,
  },
  {
    // CHOICE: proxies of the environment are not used. With one, plain http to a node on this machine would leave the machine.
    names: ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
    does: "sends what is meant for nodes and facilitators to a proxy",
    isHarmless: (_value, environment) => [environment["NO_PROXY"], environment["no_proxy"]].includes("*"),
    wayOut: "unset it, or set NO_PROXY=*",
  },
]

/** Throws CommandError (6) that lists every variable with a forbidden setting; it does not repeat the values. */
export function requirePlainEnvironment(environment: Environment): void {
  const faults = REFUSED.flatMap(({ names, does, isHarmless, wayOut }) =>
    names.flatMap((name) => {
      const value = environment[name]
      if (value === undefined || value === "" || isHarmless?.(value, environment)) return []
      return [`${name} (environment) ${does}; ${wayOut}`]
    }),
  )
  if (faults.length > 0) throw new CommandError(EXIT.CONFIG, faults.join("\n"))
}
