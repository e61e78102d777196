/** The part of contact that concerns the caller's mailbox. */
import type { ContactNotice, DecisionContact } from "../../schemas/us/decision-contact.ts"
import { ServiceError } from "../base/errors.ts"
import type { Digest } from "../core/digest.ts"
import { normalMailbox } from "../core/mailbox.ts"
import type { Reply } from "../http/call.ts"
import { notAdmittedError } from "../http/free-writes.ts"
import type { FreeWriter } from "../store/free-writes/admit.ts"
import type { EmailPath } from "./email-path.ts"

interface MailboxPart {
  readonly email: EmailPath
  /** As `normalMailbox` returns it. */
  readonly mailbox: string
  /** Undefined: the caller asks for a challenge. */
  readonly token: string | undefined
}

/**
 * Returns null for a request without members about e-mail. Throws the refusal of members that cannot be used.
 * CHOICE: with `reply_to` the caller wants to prove its mailbox. Without e-mail the same request without `reply_to` gets its reply at once.
 */
export function mailboxPart(
  email: EmailPath | null,
  { reply_to, email_verification_token: token }: Exclude<DecisionContact, { action: "STOP" }>,
): MailboxPart | null {
  if (reply_to === undefined && token === undefined) return null
  if (reply_to === undefined) {
    throw new ServiceError("MAILBOX_INVALID", "A token proves a mailbox, so the mailbox is needed beside it.", {
      errors: [{ pointer: "/reply_to", code: "OBJECT_REQUIRED_PROPERTY", expected: "the mailbox that got the token" }],
    })
  }
  const mailbox = requireMailbox(reply_to)
  if (email !== null) return { email, mailbox, token }
  throw new ServiceError(
    "EMAIL_CONTACT_DISABLED",
    "This service sends no e-mail. Send the same body without reply_to and email_verification_token: the reply to it is complete.",
  )
}

/**
 * Returns null if the token proved the mailbox: then the final answer is due. Throws EMAIL_TOKEN_NOT_ACCEPTED for every other token. Without a
 * token the reply is the same whether the mailbox gets a message or not.
 */
export async function emailReply(
  { email, mailbox, token }: MailboxPart,
  requestDigest: Digest,
  writer: FreeWriter,
): Promise<Reply | null> {
  const { at } = writer
  if (token !== undefined) {
    if (await email.acceptToken({ mailbox, requestDigest, token, at })) return null
    throw new ServiceError(
      "EMAIL_TOKEN_NOT_ACCEPTED",
      "Send the token of the newest challenge message to this mailbox, once, within 15 minutes, with the body that asked for it; or ask for a new challenge.",
    )
  }
  const refused = await email.askForProof(mailbox, requestDigest, writer)
  if (refused) throw notAdmittedError(refused, at)
  const answer: ContactNotice = {
    schema_version: "1.0.0",
    status: "EMAIL_CHALLENGE_REQUESTED",
    request_digest: requestDigest,
    limitations: ["MAILBOX_CONTROL_ONLY", "NO_CHALLENGE_AFTER_STOP", "LIMITED_CHALLENGES_A_DAY"],
    next_machine_action: "READ_MAILBOX_AND_SEND_TOKEN",
  }
  return { status: 202, body: answer, note: { contact: answer.status } }
}

/** Throws MAILBOX_INVALID. */
export function requireMailbox(given: string): string {
  const mailbox = normalMailbox(given)
  if (mailbox !== null) return mailbox
  throw new ServiceError("MAILBOX_INVALID", "Send one mailbox without a name; errors says which form it has.", {
    errors: [{ pointer: "/reply_to", code: "MAILBOX", expected: "one mailbox without a name, as agent@host.example" }],
  })
}
