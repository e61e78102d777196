import { EXIT } from "../../base/exit.ts"
import { type ActionRow, findAction } from "../../store/jobs/job-actions.ts"
import { findDeliverable } from "../../store/jobs/job-deliverables.ts"
import { judgedEntries } from "../../store/jobs/job-entries.ts"
import { jobEvents } from "../../store/jobs/jobs.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { jobLine } from "./jobs.ts"
import { findNumberedJob } from "./numbered-job.ts"

export const command: Command = {
  name: "acp job",
  summary: "one on-chain job: its moves, its messages, its transactions and its delivery",
  operands: "ID",
  flags: {
    ...DATA_FLAG,
    ...JSON_FLAG,
    deliverable: { help: "print only the frozen text of the delivery, as it was posted" },
  },
  examples: ["acp job 7 --data ./data"],
  async run(input) {
    const { store } = await openData(input)
    try {
      const job = await findNumberedJob(store, input.operands[0] ?? "")
      const { events, entries, actions, deliverable } = await store.read(function* () {
        return {
          events: yield* jobEvents(job.id),
          entries: yield* judgedEntries(job.id),
          actions: [yield* findAction(job.id, "SET_BUDGET"), yield* findAction(job.id, "SUBMIT")],
          deliverable: yield* findDeliverable(job.id),
        }
      })
      if (input.on("deliverable")) {
        if (deliverable === null) {
          input.err("nothing is delivered for this job\n")
          return EXIT.NOT_FOUND
        }
        input.out(deliverable.text)
        return EXIT.DONE
      }
      const shown = {
        version: 1,
        job: jobLine(job),
        moves: events.map(({ at, fromState, toState, detail }) => ({ at, from: fromState, to: toState, detail })),
        messages: entries.map(({ receivedAt, verdict, code }) => ({ read_at: receivedAt, verdict, code })),
        transactions: actions.filter((action): action is ActionRow => action !== null).map(actionLine),
        deliverable: deliverable && {
          sha256: deliverable.sha256,
          keccak256: deliverable.keccak256,
          frozen_at: deliverable.createdAt,
          posted_at: deliverable.postedAt,
        },
      }
      input.out(input.on("json") ? `${JSON.stringify(shown)}\n` : forPeople(shown))
    } finally {
      await store.close()
    }
    return EXIT.DONE
  },
}

function actionLine({ action, wallet, nonce, state, createdAt }: ActionRow) {
  return { action, wallet, nonce, state, signed_at: createdAt }
}

interface Shown {
  readonly job: ReturnType<typeof jobLine>
  readonly moves: readonly { readonly at: string; readonly to: string; readonly detail: string }[]
  readonly messages: readonly { readonly read_at: string; readonly verdict: string; readonly code: string | null }[]
  readonly transactions: readonly ReturnType<typeof actionLine>[]
  readonly deliverable: { readonly keccak256: string; readonly posted_at: string | null } | null
}

function forPeople({ job, moves, messages, transactions, deliverable }: Shown): string {
  return [
    `job ${job.on_chain_job_id} of ${job.escrow_contract}`,
    `state     ${job.state}${job.reason === null ? "" : ` (${job.reason})`}`,
    `client    ${job.client_address}`,
    `deadline  ${job.expires_at}`,
    ...moves.map(({ at, to, detail }) => `${at}  ${to}  ${detail}`),
    ...messages.map(({ read_at, verdict, code }) => `${read_at}  message ${verdict}${code === null ? "" : ` ${code}`}`),
    ...transactions.map(({ signed_at, action, nonce, state }) => `${signed_at}  ${action} nonce ${nonce} ${state}`),
    ...(deliverable ? [`delivery  ${deliverable.keccak256}, posted ${deliverable.posted_at ?? "not yet"}`] : []),
    "",
  ].join("\n")
}
