/** The flags with which a buyer says what the deliverable of an ACP job must be. */
import type { JobInputs } from "../../offline/given/job-terms.ts"
import type { Flag, Input } from "../command.ts"
import { readGivenFile } from "./read-document.ts"

export const DELIVERABLE_FLAGS = {
  requirement: { help: "the deliverable must be for this final requirement of agent job bind", value: "FINAL" },
  job: {
    help: "the deliverable must be for this job, as read on the chain: {onChainJobId, chainId, clientAddress, providerAddress}",
    value: "JOB",
  },
  submitted: { help: "the deliverable must have this hash: the one of the event JobSubmitted", value: "0xHASH" },
} as const satisfies Record<string, Flag>

export function jobInputs(input: Input): JobInputs {
  return {
    submitted: input.text("submitted"),
    read: async (flag) => {
      const path = input.text(flag)
      return path === undefined ? null : readGivenFile(path)
    },
  }
}
