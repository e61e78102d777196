/** The desk of a server: its listener, and from the moment the service is open, its pages. */
import type { Log } from "../base/log.ts"
import { OWNER_SOCKET_MODE } from "../base/unix-socket.ts"
import { listenBeside } from "../http/side-listener.ts"
import type { DeskDeps } from "./deps.ts"
import { type DeskSettings, deskOrigin } from "./desk-settings.ts"
import { BODY_BYTES_MAX } from "./form-body.ts"
import { replyToDesk } from "./requests.ts"

export interface DeskServer {
  /** `http://HOST:PORT` with the port that was bound, or `unix:PATH`. */
  readonly name: string
  /** `scheme://host[:port]` at which reviewers open it. */
  readonly origin: string
  /** From this call on, reviewers get pages. `depsAt` gets the origin. */
  open(depsAt: (origin: string) => DeskDeps): void
  /** Call it before the service is closed. */
  stop(): Promise<void>
}

/** Throws what {@link listenBeside} throws. */
export async function openDesk(settings: DeskSettings, log: Log): Promise<DeskServer> {
  let deps: DeskDeps | null = null
  const { name, port, stop } = await listenBeside({
    ...{ address: settings.address, log, name: "desk", socketMode: OWNER_SOCKET_MODE, bodyBytesMax: BODY_BYTES_MAX },
    reply: (request, { pending, port: bound }) =>
      replyToDesk(request, pending, { origin: deskOrigin(settings, bound), log, deps }),
  })
  const origin = deskOrigin(settings, port)
  return {
    name,
    origin,
    open(depsAt) {
      deps = depsAt(origin)
    },
    stop,
  }
}
