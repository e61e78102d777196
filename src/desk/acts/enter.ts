/** A link opens a session once. */
import { formatInstant } from "../../core/time.ts"
import { html } from "../../pages/html.ts"
import { enterByLink, leaveSession } from "../../store/review/review-sessions.ts"
import { DeskRefusal } from "../desk-refusal.ts"
import { hiddenField } from "../parts.ts"
import { endedCookie, hashOfSecret, newSecret, sessionCookie } from "../secrets.ts"
import type { DeskReply, OwnVisit, Visit } from "../visit.ts"

const SECRET = /^[A-Za-z0-9_-]{43}$/

/** Reading the page spends nothing: a program that looks at links before a person does must not use one up. */
export async function showEntrance({ params: [secret = ""] }: Visit): Promise<DeskReply> {
  return {
    status: 200,
    page: {
      title: "Enter",
      main: html`<h1>Enter the review desk</h1>
<p>The link works once. It ends every earlier session of yours.</p>
<form method="post" action="/enter">${hiddenField("link", secret)}
<p><button type="submit">Enter</button></p></form>`,
    },
  }
}

export async function enter({ deps: { store, machine, log }, form, now }: Visit): Promise<DeskReply> {
  const link = form.text("link")
  const secret = newSecret(machine)
  const spent = SECRET.test(link)
    ? await store.run(() =>
        enterByLink({ linkHash: hashOfSecret(link), sessionHash: hashOfSecret(secret), at: formatInstant(now) }),
      )
    : null
  if (spent === null) {
    throw new DeskRefusal(
      403,
      "This link is unknown, spent or older than five minutes. Ask the operator for another one: bizauth review open NAME.",
    )
  }
  log.info("desk_entered", { reviewer: spent.reviewerId })
  return { to: "/", cookie: sessionCookie(secret) }
}

export async function leave({ deps: { store }, me }: OwnVisit): Promise<DeskReply> {
  await store.run(() => leaveSession(me.sessionHash))
  return { to: "/", cookie: endedCookie() }
}
