/** What contact needs of e-mail. The layer `mail` implements it. */
import type { Digest } from "../core/digest.ts"
import type { FreeWriter, NotAdmitted } from "../store/free-writes/admit.ts"

export interface EmailPath {
  /** The provider's mailbox. */
  readonly mailbox: string
  /**
   * Has a challenge sent to the mailbox, unless it opted out or a limit of it or of its domain is reached. The caller is never told which.
   * Not null: the share of the caller is used up.
   */
  askForProof(mailbox: string, requestDigest: Digest, writer: FreeWriter): Promise<NotAdmitted | null>
  /** Consumes the token of a challenge. False, and nothing changes, for every token that is not accepted. */
  acceptToken(proof: EmailProof): Promise<boolean>
}

interface EmailProof {
  /** As `normalMailbox` returns it. */
  readonly mailbox: string
  readonly requestDigest: Digest
  readonly token: string
  /** Milliseconds. */
  readonly at: number
}
