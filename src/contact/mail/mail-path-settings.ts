/** Reads the settings of contact by e-mail from the configuration. */
import { type Config, ConfigError } from "../../base/config.ts"
import { readSecretFile, SecretFileError } from "../../base/secret-file.ts"
import { commaList } from "../../core/text/comma-list.ts"
import { type MailSettings, readMailSettings } from "./mail-settings.ts"

/**
 * Returns null if mail is off. Reads the file with the URL of the SMTP server. Throws {@link ConfigError} with every fault, because nothing is
 * served with an incomplete configuration.
 */
export function mailSettings(config: Config): MailSettings | null {
  if (config.mail === "off") return null
  const read = readMailSettings({
    smtpUrl: config.smtp_url_file === "" ? "" : urlText(config.smtp_url_file),
    from: config.mail_from,
    socketPath: config.mail_in_socket,
    authservIds: commaList(config.mail_authserv_id),
    channel: config.acp_channel,
  })
  if ("faults" in read) throw new ConfigError(read.faults.join("\n"))
  return read
}

function urlText(path: string): string {
  try {
    return new TextDecoder().decode(readSecretFile(path))
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(`smtp_url_file: ${error.message}`) : error
  }
}
