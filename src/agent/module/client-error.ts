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
  ) {
    super(message)
  }
}

/** Makes a ClientError of what the shared functions throw. */
function asClientError(error: unknown): unknown {
  const code = error instanceof CommandError ? CODE_OF[error.exit] : undefined
  return code === undefined ? error : new ClientError(code, (error as CommandError).message)
}

export async function told<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw asClientError(error)
  }
}

export function toldAtOnce<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw asClientError(error)
  }
}
