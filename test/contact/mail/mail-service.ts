/** A service with contact by e-mail: a real SMTP server, the real Unix socket, a clock of the test. */
import { ROUND_MS } from "../../../src/contact/mail/open-mail.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { clockAt } from "../../fixtures/service.ts"
import { type ServiceOfRun, serviceOfRun } from "../../fixtures/service-of-run.ts"
import { until } from "../../fixtures/until.ts"
import { type ContactCalls, contactOf } from "../contact-service.ts"
import { mailSettingsOf } from "./mail-settings.ts"
import { sendIn, type WrittenMail, written } from "./send-in.ts"
import { type SmtpSink, type SunkMail, smtpSink } from "./smtp-sink.ts"

export interface MailService extends ServiceOfRun, ContactCalls {
  readonly sink: SmtpSink
  readonly socketPath: string
  /** Sends a message in and waits until it is handled. Returns its code of the log. */
  readonly mailIn: (mail: WrittenMail) => Promise<string>
  /** Waits until nothing is to be sent. */
  readonly quiet: () => Promise<void>
}

const QUICK_ROUND_MS = 10

/** The rounds of the workers come soon. Every other wait takes its time. */
function quickRounds() {
  const clock = clockAt(Date.UTC(2026, 10, 23))
  return { ...clock, after: (ms: number, work: () => void) => clock.after(ms === ROUND_MS ? QUICK_ROUND_MS : ms, work) }
}

export async function mailService(): Promise<MailService> {
  const fresh = freshDirectory()
  const sink = await smtpSink()
  const settings = mailSettingsOf(fresh.path, sink.port)
  const clock = quickRounds()
  const running = contactOf(await serviceOfRun(clock, { rate_limits: "off", ...settings }), clock)
  const mine = running.service.workers.filter(({ name }) => name.includes("mail"))
  for (const worker of mine) worker.start()
  const handled = () => running.logged.filter(({ event }) => event === "mail_handled" || event === "mail_dropped")
  const isEmpty = async (table: string) => (await running.database.count(table, "look_at IS NOT NULL")) === 0
  const service: MailService = {
    ...running,
    sink,
    socketPath: settings.mail_in_socket,
    mailIn: async (mail) => {
      const before = handled().length
      const code = await sendIn(settings.mail_in_socket, written(mail))
      if (code !== 250) throw new Error(`the listener answered ${code}`)
      await until("a message is handled", async () => handled().length > before)
      return String(handled().at(-1)?.["code"])
    },
    quiet: () => until("nothing waits", async () => (await isEmpty("mail_in")) && (await isEmpty("mail_out"))),
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]()
      await sink[Symbol.asyncDispose]()
      fresh[Symbol.dispose]()
    },
  }
  await until(
    "the socket is open",
    async () => (await sendIn(settings.mail_in_socket, "x", { to: "nobody@host.example" })) === 550,
  )
  return service
}

/** The JSON of a message that the service sent. */
export function jsonOf({ raw }: SunkMail): Record<string, unknown> {
  const at = raw.indexOf("\r\n\r\n")
  const text = raw.slice(at)
  const isBase64 = /^Content-Transfer-Encoding: base64\r$/m.test(raw.slice(0, at))
  return JSON.parse(isBase64 ? Buffer.from(text, "base64").toString() : text) as Record<string, unknown>
}
