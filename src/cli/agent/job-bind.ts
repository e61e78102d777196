import { ACP_CHAIN_ID } from "../../../schemas/acp/terms.ts"
import { readKeyFile } from "../../agent/key-file.ts"
import { signingKey } from "../../agent/keys.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { digestBytes } from "../../core/digest.ts"
import { jobBinding, jobBindingBytes, requirementDigest } from "../../core/jobs/job-binding.ts"
import type { JobFacts } from "../../core/jobs/job-binding-members.ts"
import { bindRequirement } from "../../jobs/buyer-signing/bind-requirement.ts"
import { BindingError } from "../../jobs/buyer-signing/binding-error.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { writeRequirement } from "./requirement-output.ts"

const required = true

export const command: Command = {
  name: "agent job bind",
  summary: "sign the final requirement of an ACP job on this machine, for exactly this job; nothing is sent",
  operands: "DRAFT.json",
  flags: {
    job: { help: "id of the job on the chain, as the ACP client read it", value: "ID", required },
    client: { help: "address of the job's client: the fee payer of the signed request", value: "0xADDRESS", required },
    provider: { help: "address of the job's provider", value: "0xADDRESS", required },
    keys: { help: "key file of agent keygen: of the agent that signed the request", value: "FILE", required },
    out: { help: "new file for the final requirement; default standard output", value: "FILE" },
    ...JSON_FLAG,
  },
  examples: [
    "agent job bind ./job-draft.json --job 7 --client 0x2222222222222222222222222222222222222222 --provider 0x4444444444444444444444444444444444444444 --keys ./agent.json --out ./job-final.json",
  ],
  run: runJobBind,
}

async function runJobBind(input: Input): Promise<ExitCode> {
  const draft = await readDocumentJson(input.operands[0] ?? "")
  const { privateKey } = signingKey(readKeyFile(input.need("keys")).operational)
  const job: JobFacts = {
    onChainJobId: input.need("job"),
    chainId: ACP_CHAIN_ID,
    clientAddress: input.need("client"),
    providerAddress: input.need("provider"),
  }
  const final = bound(() => bindRequirement(draft, job, privateKey))
  writeRequirement(input, final, {
    done: "bound",
    digests: {
      requirement_digest: requirementDigest(final),
      binding_digest: digestBytes(jobBindingBytes(jobBinding(final, job))),
    },
    next: "send it as a requirement message of this job, from the same client; fund only the exact budget",
  })
  return EXIT.DONE
}

/** The flag that carries a member of the job. */
const FLAGS: Readonly<Record<string, string>> = {
  "actualJob/onChainJobId": "--job",
  "actualJob/clientAddress": "--client",
  "actualJob/providerAddress": "--provider",
  privateKey: "--keys",
}

/** Throws CommandError: 2 an argument has the wrong form, 3 two of them do not belong together. */
function bound<T>(bind: () => T): T {
  try {
    return bind()
  } catch (error) {
    if (!(error instanceof BindingError)) throw error
    const isForm = error.code.endsWith("_INVALID")
    throw new CommandError(
      isForm ? EXIT.USAGE : EXIT.INVALID,
      `not signed: ${FLAGS[error.field] ?? error.field} ${error.expected}`,
    )
  }
}
