import { domainToASCII } from "node:url"

/** RFC 5321: a local part has at most 64 characters, a mailbox at most 254. */
const LOCAL_CHARACTERS_MAX = 64
const MAILBOX_CHARACTERS_MAX = 254
/** Dot-atom of RFC 5322: no quotes, comments, spaces or control characters. */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
/** Two labels or more of letters, digits and inner hyphens; the last one begins with a letter. */
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Returns one mailbox in the form in which mailboxes are compared: the domain in lower case and as IDNA, the local part as written. Returns
 * null for anything else: several addresses, a name beside the address, a quoted local part, a line break, an address of a machine.
 */
export function normalMailbox(given: string): string | null {
  const at = given.lastIndexOf("@")
  const local = given.slice(0, Math.max(at, 0))
  if (at < 0 || local.length > LOCAL_CHARACTERS_MAX || !LOCAL.test(local)) return null
  // Conversion ignores some characters, and a mailbox has none of them.
  if (/[\s\p{Cc}\p{Cf}%/\\:?#@[\]]/u.test(given.slice(at + 1))) return null
  const domain = domainToASCII(given.slice(at + 1)).toLowerCase()
  const mailbox = `${local}@${domain}`
  return DOMAIN.test(domain) && mailbox.length <= MAILBOX_CHARACTERS_MAX ? mailbox : null
}

/**
 * CHOICE: an opt-out counts for its mailbox in any case, because hardly any mail system tells cases apart. Otherwise mail to `AGENT@…` would
 * reach an agent that opted out as `agent@…`. `mailbox`: as {@link normalMailbox} returns it.
 */
export function mailboxKey(mailbox: string): string {
  return mailbox.toLowerCase()
}
