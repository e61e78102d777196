/** Why a backup cannot be used. The message names the file, the fault and the way out. */
type RefusalKind =
  /** The operating system does not give the file. */
  | "UNREADABLE"
  /** The end is missing. */
  | "TRUNCATED"
  /** The bytes are not those that were written. */
  | "DAMAGED"
  /** The manifest is whole, but it is not the expected one. */
  | "EDITED"
  /** Another program made the file. */
  | "FOREIGN"
  /** A newer release made the backup or its database. */
  | "NEWER"
  /** The keys cannot be opened. */
  | "KEYS"

export class BackupRefusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message)
  }
}
