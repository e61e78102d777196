import { ACP_CHANNEL_DEFAULT, ACP_ESCROW_CONTRACT } from "../../../schemas/acp/terms.ts"
import { jobDraft } from "../../agent/job-draft.ts"
import { requireRequest } from "../../agent/request-file.ts"
import { EXIT, type ExitCode } from "../../base/exit.ts"
import { requirementDigest } from "../../core/jobs/job-binding.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { writeRequirement } from "./requirement-output.ts"

const required = true

export const command: Command = {
  name: "agent job draft",
  summary: "build the requirement of a new ACP job around a signed request; nothing is sent",
  operands: "REQUEST.json",
  flags: {
    provider: { help: "address of the provider, from its listing", value: "0xADDRESS", required },
    offering: { help: "id of the offering Payment Decision, from the listing", value: "ID", required },
    channel: { help: `slug of the ACP channel (default ${ACP_CHANNEL_DEFAULT})`, value: "SLUG" },
    escrow: { help: `the ACP contract (default ${ACP_ESCROW_CONTRACT}, Base)`, value: "0xADDRESS" },
    "target-job": { help: "the supplier's own job, if the payment funds one, as target_job", value: "FILE" },
    out: { help: "new file for the draft; default standard output", value: "FILE" },
    ...JSON_FLAG,
  },
  examples: [
    "agent job draft ./request.json --provider 0x4444444444444444444444444444444444444444 --offering payment-decision --out ./job-draft.json",
  ],
  run: runJobDraft,
}

async function runJobDraft(input: Input): Promise<ExitCode> {
  const request = await readDocumentJson(input.operands[0] ?? "")
  const targetFile = input.text("target-job")
  const targetJob = targetFile === undefined ? undefined : await readDocumentJson(targetFile)
  const draft = jobDraft({
    request: requireRequest(request),
    providerAddress: input.need("provider"),
    offeringId: input.need("offering"),
    channel: input.text("channel") ?? ACP_CHANNEL_DEFAULT,
    escrowContract: input.text("escrow") ?? ACP_ESCROW_CONTRACT,
    ...(targetJob === undefined ? {} : { targetJob }),
  })
  writeRequirement(input, draft, {
    done: "drafted",
    digests: { requirement_digest: requirementDigest(draft) },
    next: "create the job with the ACP client, keep its id, then: bizauth agent job bind",
  })
  return EXIT.DONE
}
