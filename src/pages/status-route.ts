import { readStatusPage } from "../../schemas/pages.ts"
import { formatInstant, SECOND } from "../core/time.ts"
import type { Reply } from "../http/call.ts"
import { serve } from "../http/serve.ts"
import { pageLayout } from "./layout.ts"
import { publicPageFields } from "./page-headers.ts"
import type { PageParts } from "./page-route.ts"
import { refusalPages } from "./refusal-page.ts"
import { type StatusContent, statusPage } from "./status-page.ts"

interface StatusParts extends PageParts {
  /** `at` in milliseconds. */
  readonly status: (at: number) => Promise<Omit<StatusContent, "asOf">>
}

/** A page is shown for this time. It states its time, and its ages are computed for it. */
const HELD_MS = SECOND
const FIELDS = publicPageFields("no-store")

export function statusRoute({ shell, site, status }: StatusParts) {
  const frame = pageLayout(site)
  let held: { readonly madeAt: number; readonly reply: Promise<Reply> } | undefined

  async function make(at: number): Promise<Reply> {
    const main = statusPage({ asOf: formatInstant(at), ...(await status(at)) })
    return { status: 200, body: frame({ title: "Status", section: "/status", main }), headers: FIELDS }
  }

  return serve(
    shell,
    readStatusPage,
    ({ at }) => {
      if (held === undefined || at < held.madeAt || at - held.madeAt >= HELD_MS) {
        const made = { madeAt: at, reply: make(at) }
        held = made
        made.reply.catch(() => {
          if (held === made) held = undefined
        })
      }
      return held.reply
    },
    { refusal: refusalPages(site) },
  )
}
