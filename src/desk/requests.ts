/** Answers the requests of the desk, in a fixed order of checks: the listener, the host, the origin of a form, the path, the session, the form. */
import { bugFields, type Log } from "../base/log.ts"
import { admittedKeys } from "../store/review/review-numbers.ts"
import type { DeskDeps } from "./deps.ts"
import { DeskRefusal } from "./desk-refusal.ts"
import { readForm } from "./form-body.ts"
import { deskFrame } from "./frame.ts"
import { deskFields } from "./headers.ts"
import { reviewingOf } from "./reviewing.ts"
import { type DeskRoute, findRoute } from "./routes.ts"
import { isFormToken, sessionIn } from "./secrets.ts"
import type { DeskForm, DeskReply, Reviewing, Visit } from "./visit.ts"

/** More requests at the same time get 503. */
export const DESK_REQUESTS_MAX = 64

interface DeskParts {
  readonly origin: string
  readonly log: Log
  /** Null until the service is open. */
  readonly deps: DeskDeps | null
}

const NO_FORM: DeskForm = { text: () => "", file: null }

export async function replyToDesk(request: Request, pending: number, parts: DeskParts): Promise<Response> {
  const { origin, log, deps } = parts
  if (pending > DESK_REQUESTS_MAX) return plain(503, "The desk is busy. Try again in a moment.", { "retry-after": "1" })
  const url = URL.parse(request.url)
  if (url === null || request.headers.get("host")?.toLowerCase() !== new URL(origin).host) {
    return plain(421, `The desk is at ${origin}. This address does not name it.`)
  }
  if (deps === null) return plain(503, "The desk starts. Try again in a moment.", { "retry-after": "1" })
  let me: Reviewing | null = null
  try {
    requireOwnForm(request, origin)
    const { route, params } = routeOf(request, url.pathname)
    const session = sessionIn(request.headers)
    me = session === null ? null : await reviewingOf(deps, session)
    const visit = { deps, params, query: url.searchParams, now: deps.machine.now(), form: NO_FORM }
    const reply = await replyOf(request, { route, visit, me, session, path: url.pathname })
    return await respond(request, { deps, me }, reply)
  } catch (error) {
    if (error instanceof DeskRefusal) return respond(request, { deps, me }, error.reply())
    log.error("bug", { desk: true, ...bugFields(error) })
    return respond(
      request,
      { deps, me },
      new DeskRefusal(500, "The desk has a fault. It is in the log of the service.").reply(),
    )
  }
}

/** A form comes from a page of the desk: its origin names scheme, host and port. */
function requireOwnForm({ method, headers }: Request, origin: string): void {
  if (method === "GET" || method === "HEAD") return
  if (headers.get("origin") === origin) return
  throw new DeskRefusal(403, `This form does not come from ${origin}. Open the desk there, and send it again.`)
}

function routeOf({ method }: Request, pathname: string) {
  const found = findRoute(method === "HEAD" ? "GET" : method, pathname)
  if (found === "NO_PATH") throw new DeskRefusal(404, "No page of the desk has this address.")
  if ("route" in found) return found
  throw new DeskRefusal(405, `This address takes ${found.join(", ")}.`)
}

interface Turn {
  readonly route: DeskRoute
  readonly visit: Visit
  readonly me: Reviewing | null
  readonly session: string | null
  readonly path: string
}

/** Who has no session sends no form that is read, but the one that opens a session. */
async function replyOf(request: Request, { route, visit, me, session, path }: Turn): Promise<DeskReply> {
  const isForm = route.method === "POST"
  const read = () => (isForm ? readForm(request, route.takesFile === true) : NO_FORM)
  if (route.needs === "NOBODY") return route.reply({ ...visit, form: await read() })
  if (me === null || session === null) throw new DeskRefusal(401, NOBODY)
  const form = await read()
  if (isForm && !isFormToken(form.text("token"), session, path)) {
    throw new DeskRefusal(403, "This form is of another session. Open the page again, and send it again.")
  }
  if (route.needs === "PASSKEY") {
    if (me.state === "TO_ENROL") return { to: "/enrol" }
    if (me.state === "TO_PROVE") return { to: "/prove" }
    if (me.state === "WAITING") throw new DeskRefusal(403, WAITING)
  }
  return route.reply({ ...visit, form, me })
}

const NOBODY =
  "Nobody is entered here, or the session has ended. Ask the operator for a link: bizauth review open NAME."
const WAITING = "Your passkey waits for the approval of other reviewers. Until then it opens no case."

async function respond(
  { method }: Request,
  { deps, me }: { readonly deps: DeskDeps; readonly me: Reviewing | null },
  reply: DeskReply,
): Promise<Response> {
  if ("to" in reply) {
    const headers = {
      location: reply.to,
      "cache-control": "no-store",
      ...(reply.cookie && { "set-cookie": reply.cookie }),
    }
    return new Response(null, { status: 303, headers })
  }
  const { issuerName, environment } = deps
  const breakGlass = me === null ? [] : await deps.store.read(() => admittedKeys(deps.machine.now()))
  const text = deskFrame(reply.page, { issuerName, environment, me, breakGlass })
  return new Response(method === "HEAD" ? null : text, {
    status: reply.status,
    headers: deskFields(reply.page.script ?? null),
  })
}

function plain(status: number, words: string, headers: Record<string, string> = {}): Response {
  const fixed = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  }
  return new Response(`${words}\n`, { status, headers: { ...fixed, ...headers } })
}
