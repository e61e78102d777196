/** The contact routes: free, and only opt-outs of e-mail and challenges to mailboxes are stored. */
import { ANSWER_OPERATIONS } from "../../schemas/product-operations.ts"
import { contactChannelOf, contactPaymentDecision } from "../../schemas/us/decision-contact.ts"
import { loadedAtFirstUse } from "../core/at-first-use.ts"
import type { Route } from "../http/route.ts"
import { serve } from "../http/serve.ts"
import type { ContactDeps } from "./deps.ts"

export function contactRoutes(deps: ContactDeps): readonly Route[] {
  const { shell, acpChannel } = deps
  const replies = loadedAtFirstUse(async () => (await import("./contact-replies.ts")).contactReplies(deps))
  const product = replies("product")
  return [
    serve(shell, contactPaymentDecision, replies("decision")),
    serve(shell, contactChannelOf(acpChannel), replies("decision")),
    ...ANSWER_OPERATIONS.map(({ contact, paid }) => serve(shell, contact, (call) => product(paid, call))),
  ]
}
