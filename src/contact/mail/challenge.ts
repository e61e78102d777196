/** Challenges of contact by e-mail: asked for over HTTP or by mail, proved by the token. */

import { EMAIL_TOKEN_SECONDS } from "../../../schemas/us/decision-contact.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { digestBytes } from "../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { mailboxKey } from "../../core/mailbox.ts"
import { formatInstant } from "../../core/time.ts"
import type { Unit } from "../../store/engine/unit.ts"
import type { FreeWriter, NotAdmitted } from "../../store/free-writes/admit.ts"
import { askForProof, consumeToken, type NewChallenge } from "../../store/mail/email-challenges.ts"
import type { NewMail, Recipient } from "../../store/mail/mail-out.ts"
import type { EmailPath } from "../email-path.ts"
import { challengeBody, challengeType, composeMessage } from "./compose.ts"
import type { MailDeps } from "./deps.ts"

const TOKEN_BYTES = 32

/** The members of a row of the queue that say to whom it goes. */
export function recipientOf(mailbox: string): Recipient {
  const key = mailboxKey(mailbox)
  return { mailbox, mailboxKey: key, domain: key.slice(key.lastIndexOf("@") + 1) }
}

/** SHA-256 of a token, 64 hex digits. */
export function tokenHashOf(token: string): string {
  return digestBytes(token).slice("sha256:".length)
}

interface WantedProof {
  readonly mailbox: string
  readonly requestDigest: string
  /** Id of the message that asked; null if it was an HTTP request. */
  readonly causeId: string | null
  readonly writer: FreeWriter
}

/** Draws a token and returns the unit that records its challenge and queues its message. */
export function newChallenge(
  { settings: { mailbox: from, channel }, machine }: Pick<MailDeps, "settings" | "machine">,
  { mailbox, requestDigest, causeId, writer }: WantedProof,
): () => Unit<NotAdmitted | null> {
  const { at } = writer
  const id = causeId ?? formatId("eml", machine.random(ID_RANDOM_BYTES))
  const token = encodeBase64url(machine.random(TOKEN_BYTES))
  const expiresAt = at + EMAIL_TOKEN_SECONDS * 1000
  const challenge: NewChallenge = {
    id,
    mailbox,
    requestDigest,
    tokenHash: tokenHashOf(token),
    issuedAt: formatInstant(at),
    expiresAt: formatInstant(expiresAt),
  }
  const body = challengeBody(channel, { id, requestDigest, token, issuedAt: at, expiresAt })
  const isReply = causeId !== null
  const mail: NewMail = {
    id,
    kind: "CHALLENGE",
    ...recipientOf(mailbox),
    nullSender: isReply,
    raw: composeMessage({ id, from, to: mailbox, type: challengeType(channel), body, isReply, at }),
    createdAt: challenge.issuedAt,
    giveUpAt: challenge.expiresAt,
  }
  return () => askForProof(challenge, mail, isReply ? "MAILS_BY_MAIL" : "MAILS_OVER_HTTP", writer)
}

export function emailPath(deps: Pick<MailDeps, "settings" | "machine" | "store">): EmailPath {
  const { settings, store } = deps
  return {
    mailbox: settings.mailbox,
    askForProof: (mailbox, requestDigest, writer) =>
      store.run(newChallenge(deps, { mailbox, requestDigest, causeId: null, writer })),
    acceptToken: ({ mailbox, requestDigest, token, at }) =>
      store.run(() => consumeToken({ tokenHash: tokenHashOf(token), mailbox, requestDigest, now: formatInstant(at) })),
  }
}
