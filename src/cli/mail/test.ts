import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { composeMessage } from "../../contact/mail/compose.ts"
import { type MailSettings, mailSettings, type SmtpTarget } from "../../contact/mail/mail-settings.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { normalMailbox } from "../../core/mailbox.ts"
import { type Command, type Input, OPTIONAL_DATA_FLAG } from "../command.ts"
import { asConfigRefusal, CONFIG_FLAGS, readSettings } from "../inputs.ts"

/** Sends at once, beside the queue and its limits, and keeps nothing. */
export const command: Command = {
  name: "mail test",
  summary: "send one test message through the configured SMTP server, and say what happened",
  operands: "TO",
  flags: { ...CONFIG_FLAGS, ...OPTIONAL_DATA_FLAG },
  examples: ["mail test you@host.example --data ./data"],
  async run(input) {
    const [given = ""] = input.operands
    const to = normalMailbox(given)
    if (to === null) throw new CommandError(EXIT.USAGE, "TO must be one mailbox without a name, as you@host.example")
    const { smtp, mailbox: from, channel } = settingsOf(input)
    const at = realMachine.now()
    const id = formatId("eml", realMachine.random(ID_RANDOM_BYTES))
    const type = `svc.${channel}.mail-test.v1`
    const raw = composeMessage({ id, from, to, type, body: { type }, isReply: false, at })
    const { sendMail } = await import("../../contact/mail/smtp-client.ts")
    input.progress.step({ what: `handing the message to ${smtp.host}` })
    const result = await sendMail(smtp, { from, to }, raw, realMachine)
    const server = `${smtp.host}:${smtp.port}`
    if (result.outcome === "REFUSED") {
      throw new CommandError(EXIT.PROBLEMS, `${server} refused the message: ${result.code}`)
    }
    if (result.outcome === "NOT_SENT") {
      throw new CommandError(EXIT.NOT_CHECKED, `${server} did not take the message: ${result.code}; ${adviceFor(smtp)}`)
    }
    input.result({ server, message_id: id }, `${server} took the message ${id}\n`)
    return EXIT.DONE
  },
}

function settingsOf(input: Input): MailSettings {
  const { config } = readSettings(input)
  try {
    const settings = mailSettings(config)
    if (settings !== null) return settings
  } catch (error) {
    throw asConfigRefusal(error)
  }
  throw new CommandError(EXIT.CONFIG, "mail = off: set mail = smtp and the settings that it needs")
}

function adviceFor({ isTls, needsStartTls }: SmtpTarget): string {
  const tls = isTls ? "smtps: needs TLS from the first byte" : needsStartTls ? "smtp: needs STARTTLS" : "no TLS is used"
  return `check host, port and password in the file of smtp_url_file (${tls})`
}
