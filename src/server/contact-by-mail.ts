/** Connects contact to the rest of the service, and to e-mail if it is on. */
import { getBuyerSigningModule } from "../../schemas/acp/operations.ts"
import type { Config } from "../base/config.ts"
import type { Worker } from "../base/worker.ts"
import type { ContactDeps } from "../contact/deps.ts"
import type { MailSettings } from "../contact/mail/mail-settings.ts"
import { atFirstUse } from "../core/at-first-use.ts"
import type { DeliveryDeps } from "../delivery/deps.ts"
import type { Generations } from "../discovery/generation.ts"
import { ALWAYS_SPACE } from "../http/free-writes.ts"
import type { JobRail } from "../jobs/open-jobs.ts"

export interface ContactSeams extends Pick<ContactDeps, "shell" | "store"> {
  readonly config: Config
  readonly delivery: DeliveryDeps
  readonly documents: Generations
  readonly jobRail: JobRail | null
}

export interface ContactByMail {
  readonly contact: ContactDeps
  readonly workers: readonly Worker[]
}

/** The modules for mail are loaded only with settings. */
export async function contactByMail(
  { shell, store, config, delivery, documents, jobRail }: ContactSeams,
  settings: MailSettings | null,
): Promise<ContactByMail> {
  const withoutMail: ContactDeps = {
    shell,
    store,
    acpChannel: config.acp_channel,
    takesPayments: config.payments !== "off",
    jobOffering: () => jobRail?.state() ?? null,
    email: null,
    signingModuleDigest: () => documents.digestOf(getBuyerSigningModule.id),
  }
  if (settings === null) return { contact: withoutMail, workers: [] }
  const { openMail } = await import("../contact/mail/open-mail.ts")
  const { machine, log, owner } = delivery
  const replies = atFirstUse(async () => (await import("../contact/contact-replies.ts")).contactReplies(contact))
  const { path, workers } = openMail({
    settings,
    store,
    freeWrites: shell.freeWrites ?? ALWAYS_SPACE,
    machine,
    log,
    owner,
    answer: async (draft, at) => (await replies()).decisionAnswer(draft, at),
  })
  const contact: ContactDeps = { ...withoutMail, email: path }
  return { contact, workers }
}
