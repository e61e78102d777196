/** The settings of contact by e-mail, and their faults that need no network to find. */

import { isLoopbackName } from "../../base/loopback.ts"
import { normalMailbox } from "../../core/mailbox.ts"

/** The operator's SMTP server. */
export interface SmtpTarget {
  readonly host: string
  readonly port: number
  /** TLS from the first byte (`smtps:`). Otherwise STARTTLS is required, except on loopback. */
  readonly isTls: boolean
  readonly needsStartTls: boolean
  readonly credentials: { readonly user: string; readonly pass: string } | null
}

export interface MailSettings {
  readonly smtp: SmtpTarget
  /** The provider's mailbox, as `normalMailbox` returns it. */
  readonly mailbox: string
  /** Path of the Unix socket that the operator's mail server delivers to. */
  readonly socketPath: string
  /** The authserv-ids (RFC 8601) of the operator's mail server, in lower case. */
  readonly authservIds: readonly string[]
  /** The setting `acp_channel`: subjects and types of messages have it. */
  readonly channel: string
}

/** As the operator wrote them. */
export interface MailSettingTexts {
  readonly smtpUrl: string
  readonly from: string
  readonly socketPath: string
  readonly authservIds: readonly string[]
  readonly channel: string
}

/** A Unix socket's path has at most 107 bytes on Linux. The socket is made in a folder beside its place, whose name takes some of them. */
const SOCKET_PATH_BYTES_MAX = 80
const AUTHSERV_ID = /^[A-Za-z0-9._-]{1,253}$/

/** Returns the settings, or all faults at once without any setting's value. */
export function readMailSettings(given: MailSettingTexts): { readonly faults: readonly string[] } | MailSettings {
  const smtp = smtpTarget(given.smtpUrl)
  const mailbox = normalMailbox(given.from)
  const faults = [
    ...(smtp === null
      ? ["smtp_url_file must hold one URL, smtp://[user:password@]host[:port] or smtps://…, with mail = smtp"]
      : []),
    ...(mailbox === null ? ["mail_from must be one mailbox, as agent-desk@host.example, with mail = smtp"] : []),
    ...(isSocketPath(given.socketPath)
      ? []
      : [`mail_in_socket must be an absolute path of at most ${SOCKET_PATH_BYTES_MAX} bytes, with mail = smtp`]),
    ...(given.authservIds.length > 0 && given.authservIds.every((id) => AUTHSERV_ID.test(id))
      ? []
      : ["mail_authserv_id must name the authserv-id of your mail server, or several with commas, with mail = smtp"]),
  ]
  if (smtp === null || mailbox === null || faults.length > 0) return { faults }
  const { socketPath, channel } = given
  return { smtp, mailbox, socketPath, authservIds: given.authservIds.map((id) => id.toLowerCase()), channel }
}

function isSocketPath(path: string): boolean {
  return path.startsWith("/") && !path.endsWith("/") && Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX
}

const SUBMISSION_PORT = 587
const SUBMISSIONS_PORT = 465

/** Returns null for anything but one URL of a server, with or without user and password. */
export function smtpTarget(text: string): SmtpTarget | null {
  const url = URL.parse(text.trim())
  if (url === null || (url.protocol !== "smtp:" && url.protocol !== "smtps:") || url.hostname === "") return null
  if ((url.pathname !== "" && url.pathname !== "/") || url.search + url.hash !== "") return null
  const user = decoded(url.username)
  const pass = decoded(url.password)
  if (user === null || pass === null || (user === "") !== (pass === "")) return null
  const isTls = url.protocol === "smtps:"
  const host = url.hostname.replace(/^\[|\]$/g, "")
  return {
    host,
    port: url.port === "" ? (isTls ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(url.port),
    isTls,
    needsStartTls: !isTls && !isLoopbackName(url.hostname),
    credentials: user === "" ? null : { user, pass },
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
