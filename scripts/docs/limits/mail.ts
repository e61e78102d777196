import { type Limit, row } from "./limit.ts"

/** Limits of contact by e-mail. */
export const MAIL_LIMITS: readonly Limit[] = [
  row(
    "validity of an e-mail token",
    "15 min",
    "EMAIL_TOKEN_SECONDS",
    "schemas/us/decision-contact.ts",
    "409 `EMAIL_TOKEN_NOT_ACCEPTED`",
  ),
  row(
    "messages to a mailbox, a domain and all a UTC day",
    "3, 20, 500",
    "MAILS_A_DAY",
    "src/store/mail/mail-out.ts",
    "the same 202, and no message",
  ),
  row("a received message", "256 KiB", "MESSAGE_BYTES_MAX", "src/mail/smtp-listener.ts", "SMTP 552"),
  row("connections to the mail socket", "8", "CONNECTIONS_MAX", "src/mail/smtp-listener.ts", "SMTP 421"),
  row("length of such a connection", "2 min", "CONNECTION_MS_MAX", "src/mail/smtp-listener.ts", "it is closed"),
  row("received messages that wait", "500", "MAIL_WAITING_MAX", "src/store/mail/mail-in.ts", "SMTP 452"),
  row("tries to handle a received message", "5", "HANDLING_TRIES", "src/mail/rounds.ts", "`mail_dropped`"),
  row("an attempt to send a message", "60 s", "ATTEMPT_MS_MAX", "src/mail/smtp-client.ts", "tried again later"),
  row("attempts to send an answer", "a day", "ANSWER_KEPT_MS", "src/mail/handle-message.ts", "it is given up"),
]
