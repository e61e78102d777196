import { ACP_CHAIN_ID } from "../../../schemas/acp/terms.ts"
import type { JobFacts } from "../../core/jobs/job-binding-members.ts"
import { BindingError } from "./binding-error.ts"

const ADDRESS = "must be an EVM address: 0x and 40 hex digits, not the zero address"

/** What each member must be. The order is the order in which faults are reported. */
const MEMBERS: Readonly<Record<keyof JobFacts, { isValid: (value: unknown) => boolean; expected: string }>> = {
  onChainJobId: {
    isValid: (value) => typeof value === "string" && /^[1-9][0-9]{0,77}$/.test(value),
    expected: "must be a text of 1 to 78 decimal digits without a leading zero",
  },
  chainId: { isValid: (value) => value === ACP_CHAIN_ID, expected: `must be the number ${ACP_CHAIN_ID} (Base)` },
  clientAddress: { isValid: isAddress, expected: ADDRESS },
  providerAddress: { isValid: isAddress, expected: ADDRESS },
}

/** Returns the four facts. Throws {@link BindingError}: a misspelt member must not pass as an absent one. */
export function readJob(actualJob: unknown): JobFacts {
  if (typeof actualJob !== "object" || actualJob === null) {
    throw new BindingError("JOB_INVALID", "actualJob", `must be an object with ${Object.keys(MEMBERS).join(", ")}`)
  }
  for (const name of Object.keys(actualJob)) {
    if (Object.hasOwn(MEMBERS, name)) continue
    const expected = `must not be there; the members are ${Object.keys(MEMBERS).join(", ")}`
    throw new BindingError("JOB_INVALID", `actualJob/${name}`, expected)
  }
  const { onChainJobId, chainId, clientAddress, providerAddress } = actualJob as Record<string, unknown>
  const facts: Record<string, unknown> = { onChainJobId, chainId, clientAddress, providerAddress }
  for (const [name, { isValid, expected }] of Object.entries(MEMBERS)) {
    if (!isValid(facts[name])) throw new BindingError("JOB_INVALID", `actualJob/${name}`, expected)
  }
  return facts as unknown as JobFacts
}

/** The chain answers a zero address for a job that does not exist. */
function isAddress(value: unknown): boolean {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) && !/^0x0{40}$/.test(value)
}
