import { type Limit, row, shared } from "./limit.ts"

/** Limits of contact by e-mail. */
export const MAIL_LIMITS: readonly Limit[] = [
  row(
    "validity of an e-mail token",
    "15 min",
    "EMAIL_TOKEN_SECONDS",
    "schemas/us/decision-contact.ts",
    "409 `EMAIL_TOKEN_NOT_ACCEPTED`",
  ),
  row("a received message", "256 KiB", "MESSAGE_BYTES_MAX", "src/contact/mail/smtp-listener.ts", "SMTP 552"),
  row("connections to the mail socket", "8", "CONNECTIONS_MAX", "src/contact/mail/smtp-listener.ts", "SMTP 421"),
  row("length of such a connection", "2 min", "CONNECTION_MS_MAX", "src/contact/mail/smtp-listener.ts", "it is closed"),
  shared(
    "received messages that wait",
    "500",
    "MAIL_WAITING_MAX",
    "src/store/mail/mail-in.ts",
    "SMTP 452; an opt-out is recorded at once",
  ),
  row(
    "messages of a domain a day for which a tenth of these places is kept",
    "10",
    "FEW_A_DAY",
    "src/store/mail/mail-in.ts",
    "the other places",
  ),
  shared(
    "opt-outs of e-mail without a proof",
    "250,000",
    "STOPS_UNPROVED_MAX",
    "src/store/contact/contact-stops.ts",
    "the oldest makes room",
  ),
  shared(
    "proved opt-outs of e-mail",
    "1,000,000",
    "STOPS_PROVED_MAX",
    "src/store/contact/contact-stops.ts",
    "the oldest of the same domain makes room",
  ),
  row("tries to handle a received message", "5", "HANDLING_TRIES", "src/contact/mail/rounds.ts", "`mail_dropped`"),
  row("an attempt to send a message", "60 s", "ATTEMPT_MS_MAX", "src/contact/mail/smtp-client.ts", "tried again later"),
  row("attempts to send an answer", "a day", "ANSWER_KEPT_MS", "src/contact/mail/handle-message.ts", "it is given up"),
]
