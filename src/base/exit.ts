/** Exit codes, frozen. 3 and 4 are separate: a script must never read "could not check" as "fine", nor parse text to distinguish them. */
export const EXIT = {
  DONE: 0,
  BUG: 1,
  USAGE: 2,
  INVALID: 3,
  NOT_CHECKED: 4,
  NOT_FOUND: 5,
  CONFIG: 6,
  DATA: 7,
  PROBLEMS: 8,
  NOT_PERMITTED: 9,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_MEANING: Readonly<Record<ExitCode, string>> = {
  0: "done; for verify: genuine, current, and what --require asks for",
  1: "unexpected failure, a bug",
  2: "wrong command, flag or argument, or a variable of the environment that no command runs with",
  3: "checked and invalid (not genuine, another request, a revoked key, replay differs, import refused)",
  4: "could not check (unreadable file, unknown format version, issuer key missing)",
  5: "nothing found under that name",
  6: "configuration wrong",
  7: "data directory busy, missing, unreadable, damaged, or newer than this binary; a named file that this user may not use",
  8: "check found problems",
  9: "verify: genuine, but expired, not yet valid, or not what --require asks for",
}

/** Ends a command with a message for a person and an exit code for a script. */
export class CommandError extends Error {
  constructor(
    readonly exit: ExitCode,
    message: string,
  ) {
    super(message)
  }
}
