/** What the deliverable of an ACP job must be: its requirement, its job, the submitted hash. */

import { CommandError, EXIT } from "../../base/exit.ts"
import type { JobFacts } from "../../core/jobs/job-binding-members.ts"
import { BindingError } from "../../jobs/buyer-signing/binding-error.ts"
import { readJob } from "../../jobs/buyer-signing/read-job.ts"
import type { VerifyDeliverableInput } from "../kinds/job-deliverable.ts"
import { type GivenFile, jsonIn, type Reader, requirePlace } from "./given-files.ts"
import { requireHash } from "./verify-terms.ts"

export interface JobInputs {
  readonly submitted: string | undefined
  /** Null if the file was not given. */
  readonly read: (flag: "requirement" | "job") => Promise<GivenFile | null>
}

/** Throws CommandError: 2 for a hash without the form of one, 4 for a file that cannot be read or is of another kind. */
export async function jobTerms(
  { submitted, read }: JobInputs,
  reader: Pick<Reader, "answers">,
): Promise<Pick<VerifyDeliverableInput, "requirement" | "job" | "submitted">> {
  const hash = requireHash(submitted)
  const requirement = await read("requirement")
  const final = requirement && { requirement: jsonIn(requirePlace("--requirement", requirement, reader)) }
  const job = await read("job")
  return {
    ...final,
    ...(job && { job: jobIn(requirePlace("--job", job, reader)) }),
    ...(hash !== undefined && { submitted: hash }),
  }
}

function jobIn(file: GivenFile): JobFacts {
  const value = jsonIn(file)
  try {
    return readJob(value)
  } catch (error) {
    if (!(error instanceof BindingError)) throw error
    throw new CommandError(EXIT.NOT_CHECKED, `${file.name}: ${error.field} ${error.expected}`)
  }
}
