import type { Operation } from "../../schemas/operation.ts"

/** A served operation. The router registers it. */
export interface Route {
  readonly operation: Operation
  /** `params` are the decoded parameters of the path: undefined without parameters, null for one that cannot be decoded. */
  readonly reply: (arrived: RoutedRequest) => Response | Promise<Response>
}

interface RoutedRequest {
  readonly request: Request
  readonly path: string
  readonly params: unknown
}
