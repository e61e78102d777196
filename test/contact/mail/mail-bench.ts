/** The parts of contact by e-mail on a database, without a service around them. */
import { type Machine, realMachine } from "../../../src/base/machine.ts"
import { contactReplies } from "../../../src/contact/contact-replies.ts"
import type { MailDeps, MailStep } from "../../../src/contact/mail/deps.ts"
import { digestBytes } from "../../../src/core/digest.ts"
import { ALWAYS_SPACE } from "../../../src/http/free-writes.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import { testShell } from "../../fixtures/shell.ts"
import type { TestDatabase } from "../../fixtures/test-database.ts"
import { AUTHSERV, PROVIDER } from "./send-in.ts"

export interface MailBenchParts {
  readonly smtpPort: number
  readonly socketPath?: string
  readonly owner?: string
  readonly machine?: Machine
  readonly trace?: (step: MailStep) => void
  /** Wraps the store. */
  readonly storeOf?: (store: Store) => Store
}

export interface MailBench {
  readonly deps: MailDeps
  readonly logged: Record<string, unknown>[]
  close(): Promise<void>
}

/** Opens a store of the database, as a process does. */
export async function mailBench(database: TestDatabase, parts: MailBenchParts): Promise<MailBench> {
  const { store: inner } = await database.open()
  const store = parts.storeOf?.(inner) ?? inner
  const { shell, logged } = testShell({ baseUrl: () => BASE_URL })
  const replies = contactReplies({
    shell,
    store,
    acpChannel: "acp",
    takesPayments: false,
    jobOffering: () => null,
    email: null,
    signingModuleDigest: async () => digestBytes("module"),
  })
  const deps: MailDeps = {
    settings: {
      smtp: { host: "127.0.0.1", port: parts.smtpPort, isTls: false, needsStartTls: false, credentials: null },
      mailbox: PROVIDER,
      socketPath: parts.socketPath ?? "/nonexistent",
      authservIds: [AUTHSERV],
      channel: "acp",
    },
    store,
    freeWrites: ALWAYS_SPACE,
    machine: parts.machine ?? realMachine,
    log: shell.log,
    owner: parts.owner ?? `process-${process.pid}`,
    strayIn: new Set(),
    strayOut: new Set(),
    unrecorded: new Map(),
    answer: replies.decisionAnswer,
    ...(parts.trace && { trace: parts.trace }),
  }
  return { deps, logged, close: () => inner.close() }
}
