import type { Log } from "../../base/log.ts"
import type { Machine } from "../../base/machine.ts"
import type { Worker } from "../../base/worker.ts"
import { atFirstUse } from "../../core/at-first-use.ts"
import { ALWAYS_SPACE } from "../../http/free-writes.ts"
import type { ContactDeps } from "../deps.ts"
import type { MailSettings } from "./mail-settings.ts"

interface MailParts {
  readonly settings: MailSettings
  readonly machine: Machine
  readonly log: Log
  /** Names this process in leases. */
  readonly owner: string
}

interface ContactByMail {
  readonly contact: ContactDeps
  readonly workers: readonly Worker[]
}

/** Connects contact to e-mail. `mail` is null if mail is off: then none of its modules is loaded. */
export async function contactByMail(given: Omit<ContactDeps, "email">, mail: MailParts | null): Promise<ContactByMail> {
  if (mail === null) return { contact: { ...given, email: null }, workers: [] }
  const { openMail } = await import("./open-mail.ts")
  const replies = atFirstUse(async () => (await import("../contact-replies.ts")).contactReplies(contact))
  const { path, workers } = openMail({
    ...mail,
    store: given.store,
    freeWrites: given.shell.freeWrites ?? ALWAYS_SPACE,
    answer: async (draft, at) => (await replies()).decisionAnswer(draft, at),
  })
  const contact: ContactDeps = { ...given, email: path }
  return { contact, workers }
}
