/** The listeners beside the public one: the operator's metrics, and the desk of reviewers. */
import { adminSettings } from "../admin/admin-settings.ts"
import type { AdminServer } from "../admin/open-admin.ts"
import type { Config } from "../base/config.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { Log } from "../base/log.ts"
import { realMachine } from "../base/machine.ts"
import { SECOND } from "../core/time.ts"
import { deskSettings } from "../desk/desk-settings.ts"
import type { DeskServer } from "../desk/open-desk.ts"
import type { OpenedService } from "../server/open-service.ts"
import { whyNot } from "./bind.ts"

interface Desk extends Pick<DeskServer, "name" | "origin" | "stop"> {
  /** From this call on, reviewers get pages. */
  open(service: OpenedService): void
}

export interface BesideServers {
  /** Null if `admin_listen` is off. */
  readonly admin: AdminServer | null
  /** Null if `desk_listen` is off. */
  readonly desk: Desk | null
  /** `inFlight` returns the requests in flight of the public listener. */
  open(service: OpenedService, inFlight: () => number): void
  /** Call it before the service is closed. */
  stop(): Promise<void>
}

/** Throws CommandError (6) for an address that cannot be listened on, and ConfigError for the settings. */
export async function bindBeside(config: Config, log: Log): Promise<BesideServers> {
  const admin = await bindAdmin(config, log)
  const desk = await bindDesk(config, log).catch(async (error: unknown) => {
    await admin?.stop()
    throw error
  })
  return {
    admin,
    desk,
    open(service, inFlight) {
      admin?.open(service, inFlight)
      desk?.open(service)
    },
    stop: async () => {
      await Promise.all([admin?.stop(), desk?.stop()])
    },
  }
}

/** Null if it is off. */
export async function bindAdmin(config: Config, log: Log): Promise<AdminServer | null> {
  const settings = adminSettings(config)
  if (settings === null) return null
  const { openAdmin } = await import("../admin/open-admin.ts")
  const startedAt = realMachine.now() - process.uptime() * SECOND
  return bound("admin_listen", settings.address.text, openAdmin({ ...settings, log, startedAt }))
}

async function bindDesk(config: Config, log: Log): Promise<Desk | null> {
  const settings = deskSettings(config)
  if (settings === null) return null
  const [{ openDesk }, { deskDeps }] = await Promise.all([import("../desk/open-desk.ts"), import("../desk/deps.ts")])
  const { open, ...desk } = await bound("desk_listen", settings.address.text, openDesk(settings, log))
  return { ...desk, open: (service) => open((origin) => deskDeps(service, origin)) }
}

function bound<Server>(setting: string, address: string, server: Promise<Server>): Promise<Server> {
  return server.catch((error: unknown) => {
    throw new CommandError(EXIT.CONFIG, `cannot listen on ${setting} = ${address}: ${whyNot(error)}`)
  })
}
