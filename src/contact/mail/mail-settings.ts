/** The settings of contact by e-mail, and their faults that need no network to find. */

import { type Config, ConfigError } from "../../base/config.ts"
import { isLoopbackName } from "../../base/loopback.ts"
import { secretOf } from "../../base/secret-setting.ts"
import { socketPathFault } from "../../base/unix-socket.ts"
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

const AUTHSERV_ID = /^[A-Za-z0-9._-]{1,253}$/

/**
 * Returns null if mail is off. Reads the file with the URL of the SMTP server. Throws {@link ConfigError} with every fault, without any
 * setting's value, because nothing is served with an incomplete configuration.
 */
export function mailSettings(config: Config): MailSettings | null {
  if (config.mail === "off") return null
  const smtp = smtpTarget(secretOf(config, "smtp_url_file") ?? "")
  const mailbox = normalMailbox(config.mail_from ?? "")
  const socketPath = config.mail_in_socket ?? ""
  const authservIds = config.mail_authserv_id
  const faults = [
    ...(smtp === null
      ? ["smtp_url_file must hold one URL, smtp://[user:password@]host[:port] or smtps://…, with mail = smtp"]
      : []),
    ...(mailbox === null ? ["mail_from must be one mailbox, as agent-desk@host.example, with mail = smtp"] : []),
    ...socketFaults(socketPath, config),
    ...(authservIds.length > 0 && authservIds.every((id) => AUTHSERV_ID.test(id))
      ? []
      : ["mail_authserv_id must name the authserv-id of your mail server, or several with commas, with mail = smtp"]),
  ]
  if (smtp === null || mailbox === null || faults.length > 0) throw new ConfigError(faults.join("\n"))
  const channel = config.acp_channel
  return { smtp, mailbox, socketPath, authservIds: authservIds.map((id) => id.toLowerCase()), channel }
}

function socketFaults(path: string, { listen, admin_listen }: Config): readonly string[] {
  if (!path.startsWith("/") || path.endsWith("/")) {
    return ["mail_in_socket must be an absolute path, as /run/bizauth/mail.sock, with mail = smtp"]
  }
  const fault = socketPathFault(path)
  if (fault !== null) return [`mail_in_socket ${fault}`]
  return Object.entries({ listen, admin_listen }).flatMap(([name, address]) =>
    address?.kind === "unix" && address.path === path
      ? [`mail_in_socket and ${name} are both ${path}: take another path`]
      : [],
  )
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
