import { CommandError, EXIT } from "../exit.ts"
import { type Listener, listen } from "../http/listen.ts"
import type { Log } from "../log.ts"
import { realMachine } from "../machine.ts"

/** Throws CommandError (6) if the service cannot listen on the address. */
export function bind(address: string, log: Log): Listener {
  try {
    return listen(address, { machine: realMachine, log })
  } catch (error) {
    throw new CommandError(EXIT.CONFIG, `cannot listen on ${address}: ${codeOf(error)}`)
  }
}

/** Returns why nothing can ever listen on the address, or null. A port in use is not a fault of the setting: a server may be running. */
export async function listenFault(address: string, log: Log): Promise<string | null> {
  try {
    await listen(address, { machine: realMachine, log }).stop(0)
    return null
  } catch (error) {
    const code = codeOf(error)
    return code === "EADDRINUSE" ? null : `cannot listen on ${address}: ${code}`
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error)
}
