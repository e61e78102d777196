/** The flags with which a buyer says what the deliverable of an ACP job must be. */
import { BindingError } from "../../buyer-signing/binding-error.ts"
import { readJob } from "../../buyer-signing/read-job.ts"
import { recogniseFile } from "../../catalogue/recognise-file.ts"
import type { JobFacts } from "../../core/acp/job-binding-members.ts"
import { CommandError, EXIT } from "../../exit.ts"
import type { VerifyDeliverableInput } from "../../products/us/payment-decision/verify-deliverable.ts"
import type { Flag, Input } from "../command.ts"
import { readDocumentBytes, readDocumentJson } from "./read-document.ts"

export const DELIVERABLE_FLAGS = {
  requirement: { help: "the deliverable must be for this final requirement of agent job bind", value: "FINAL" },
  job: {
    help: "the deliverable must be for this job, as read on the chain: {onChainJobId, chainId, clientAddress, providerAddress}",
    value: "JOB",
  },
  submitted: { help: "the deliverable must have this hash: the one of the event JobSubmitted", value: "0xHASH" },
} as const satisfies Record<string, Flag>

/** Throws CommandError: 2 for a hash without the form of one, 4 for a file that cannot be read or is of another kind. */
export async function deliverableFlags(
  input: Input,
): Promise<Pick<VerifyDeliverableInput, "requirement" | "job" | "submitted">> {
  const requirement = input.text("requirement")
  const job = input.text("job")
  const submitted = input.text("submitted")
  if (submitted !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(submitted)) {
    throw new CommandError(EXIT.USAGE, "--submitted takes a hash: 0x and 64 hex digits")
  }
  return {
    ...(requirement !== undefined && { requirement: await fileFor("--requirement", requirement) }),
    ...(job !== undefined && { job: await jobIn(job) }),
    ...(submitted !== undefined && { submitted }),
  }
}

async function fileFor(place: "--requirement" | "--job", path: string) {
  const found = recogniseFile(await readDocumentBytes(path))
  if (found !== null && found.place !== place) throw new CommandError(EXIT.NOT_CHECKED, `${path}: ${found.sentence}`)
  return readDocumentJson(path)
}

async function jobIn(path: string): Promise<JobFacts> {
  const value = await fileFor("--job", path)
  try {
    return readJob(value)
  } catch (error) {
    if (!(error instanceof BindingError)) throw error
    throw new CommandError(EXIT.NOT_CHECKED, `${path}: ${error.field} ${error.expected}`)
  }
}
