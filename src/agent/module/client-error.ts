import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import type { ErrorCode } from "./client.d.ts"

/** What the commands end with, as a code for a program. */
const CODE_OF: Partial<Record<ExitCode, ErrorCode>> = {
  [EXIT.USAGE]: "USAGE",
  [EXIT.INVALID]: "REFUSED",
  [EXIT.NOT_CHECKED]: "TRY_AGAIN",
  [EXIT.NOT_FOUND]: "NOT_FOUND",
}

export class ClientError extends Error {
  override readonly name = "ClientError"

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly answer: Uint8Array | null = null,
  ) {
    super(message)
  }
}

/** A delivered answer that this version cannot read. It was paid for, so the caller gets its bytes. */
export class UnreadableAnswer extends CommandError {
  constructor(readonly answer: Uint8Array) {
    super(
      EXIT.INVALID,
      "the answer was delivered, but this version cannot read it; its bytes are in `answer`, keep them",
    )
  }
}

/** Makes a ClientError of what the shared functions throw. */
function asClientError(error: unknown): unknown {
  if (!(error instanceof CommandError)) return error
  const code = CODE_OF[error.exit]
  return code ? new ClientError(code, error.message, error instanceof UnreadableAnswer ? error.answer : null) : error
}

/** Runs the work of a call. Its errors are those that the types declare. */
export async function withClientErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw asClientError(error)
  }
}

/** The same without a promise. */
export function withClientErrorsAtOnce<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw asClientError(error)
  }
}
