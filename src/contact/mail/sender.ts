/** Whom a received message is from, if its sender is authenticated and no machine that answers machines. */
import { mailboxKey, normalMailbox } from "../../core/mailbox.ts"
import { findSecret } from "../../core/secrets/find-secret.ts"
import { readAuthenticationResults } from "./authentication-results.ts"
import { type HeaderField, valuesOf } from "./header-block.ts"
import type { MailSettings } from "./mail-settings.ts"

/** Why a message is dropped without an answer. An answer to it could reach somebody who sent nothing, or begin a loop. */
type DropReason =
  | "FROM_NOT_ONE_MAILBOX"
  | "FROM_HOLDS_SECRET"
  | "OWN_MAILBOX"
  | "MAILING_LIST"
  | "AUTOMATIC"
  | "NO_AUTHENTICATION_RESULTS"
  | "DMARC_NOT_PASSED"
  | "DMARC_OTHER_DOMAIN"

type JudgedSender = { readonly mailbox: string } | { readonly dropped: DropReason }

/**
 * One address, alone or behind a name without special characters. CHOICE: other forms that RFC 5322 allows are dropped, because mail servers
 * read them differently, and the one that checked DMARC may have read another address.
 */
const FROM = /^(?:(?:"[^"\\<>@,;:]*"|[A-Za-z0-9 !#$%&'*+/=?^_`{|}~.-]*)[ \t]*<([^<>\s"(),;:]+)>|([^<>\s"(),;:]+))$/
const LIST_FIELDS = ["list-id", "list-post", "mailing-list", "precedence"]

/** `fields` from the top down. */
export function judgeSender(
  fields: readonly HeaderField[],
  { mailbox: own, authservIds }: Pick<MailSettings, "mailbox" | "authservIds">,
): JudgedSender {
  const [from, ...others] = valuesOf(fields, "from")
  const [, behindName, alone] = FROM.exec(from ?? "") ?? []
  const mailbox = normalMailbox(behindName ?? alone ?? "")
  if (mailbox === null || others.length > 0) return { dropped: "FROM_NOT_ONE_MAILBOX" }
  if (findSecret(mailbox, false) !== null) return { dropped: "FROM_HOLDS_SECRET" }
  if (mailboxKey(mailbox) === mailboxKey(own)) return { dropped: "OWN_MAILBOX" }
  if (fields.some(({ name }) => LIST_FIELDS.includes(name))) return { dropped: "MAILING_LIST" }
  if (valuesOf(fields, "auto-submitted").some((value) => !/^no\s*(;|\(|$)/i.test(value)))
    return { dropped: "AUTOMATIC" }
  const dropped = dmarcFault(fields, authservIds, mailbox)
  return dropped === null ? { mailbox } : { dropped }
}

/**
 * INVARIANT: the topmost result of a named authserv-id alone decides. One below it may have come with the message, and the operator's mail
 * server writes at the top.
 */
function dmarcFault(
  fields: readonly HeaderField[],
  authservIds: readonly string[],
  mailbox: string,
): DropReason | null {
  const topmost = valuesOf(fields, "authentication-results")
    .map(readAuthenticationResults)
    .find((read) => read === null || authservIds.includes(read.authservId))
  // A result that cannot be read may be of the operator's server.
  if (!topmost) return "NO_AUTHENTICATION_RESULTS"
  const [dmarc, ...more] = topmost.dmarc
  if (dmarc?.result !== "pass" || more.length > 0) return "DMARC_NOT_PASSED"
  const domain = mailbox.slice(mailbox.lastIndexOf("@") + 1)
  const checked = normalMailbox(`x@${dmarc.headerFrom ?? ""}`)
  return checked === `x@${domain}` ? null : "DMARC_OTHER_DOMAIN"
}
