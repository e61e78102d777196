/** Settings of a service that sends and receives mail. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { AUTHSERV, PROVIDER } from "./send-in.ts"

export function mailSettingsOf(directory: string, port: number) {
  const file = join(directory, "smtp.url")
  writeFileSync(file, `smtp://127.0.0.1:${port}\n`, { mode: 0o600 })
  return {
    mail: "smtp",
    smtp_url_file: file,
    mail_from: PROVIDER,
    mail_in_socket: join(directory, "mail.sock"),
    mail_authserv_id: AUTHSERV,
  }
}
