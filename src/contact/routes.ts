/** The contact routes: free, and only opt-outs of e-mail and challenges to mailboxes are stored. */
import { CONTACT_PRODUCTS } from "../../schemas/contact-operations.ts"
import { contactChannelOf, contactPaymentDecision } from "../../schemas/us/decision-contact.ts"
import { loadedAtFirstUse } from "../core/at-first-use.ts"
import type { Digest } from "../core/digest.ts"
import type { Route } from "../http/route.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import type { Store } from "../store/engine/unit.ts"
import type { EmailPath } from "./email-path.ts"

/** The offering of the job rail. */
export interface JobOffering {
  /** Whether a new job would be served now. */
  readonly isTaking: boolean
  readonly providerAddress: string
  readonly escrowContract: string
  readonly offeringId: string
}

export interface ContactDeps {
  readonly shell: Shell
  readonly store: Store
  /** The setting `acp_channel`. */
  readonly acpChannel: string
  /** False if the service takes no payments. */
  readonly takesPayments: boolean
  /** Null when the service serves no on-chain jobs. */
  readonly jobOffering: () => JobOffering | null
  /** Null when the service sends no e-mail. */
  readonly email: EmailPath | null
  /** Digest of the signing module as it is served. */
  readonly signingModuleDigest: () => Promise<Digest>
}

export function contactRoutes(deps: ContactDeps): readonly Route[] {
  const { shell, acpChannel } = deps
  const replies = loadedAtFirstUse(async () => (await import("./contact-replies.ts")).contactReplies(deps))
  const product = replies("product")
  return [
    serve(shell, contactPaymentDecision, replies("decision")),
    serve(shell, contactChannelOf(acpChannel), replies("decision")),
    ...CONTACT_PRODUCTS.map(([contact, paid]) => serve(shell, contact, (call) => product(paid, call))),
  ]
}
