import type { Digest } from "../core/digest.ts"
import type { Shell } from "../http/shell.ts"
import type { Store } from "../store/engine/unit.ts"
import type { EmailPath } from "./email-path.ts"

/** The offering of the job rail. */
export interface JobOffering {
  /** Whether a new job would be served now. */
  readonly isTaking: boolean
  readonly providerAddress: string
  readonly escrowContract: string
  readonly offeringId: string
}

export interface ContactDeps {
  readonly shell: Shell
  readonly store: Store
  /** The setting `acp_channel`. */
  readonly acpChannel: string
  /** False if the service takes no payments. */
  readonly takesPayments: boolean
  /** Null when the service serves no on-chain jobs. */
  readonly jobOffering: () => JobOffering | null
  /** Null when the service sends no e-mail. */
  readonly email: EmailPath | null
  /** Digest of the signing module as it is served. */
  readonly signingModuleDigest: () => Promise<Digest>
}
