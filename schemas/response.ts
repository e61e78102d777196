import type { TSchema } from "@sinclair/typebox"

/** Media type of a page. */
export const HTML = "text/html; charset=utf-8"

/** One response of a route. */
export interface ResponseSpec {
  readonly description: string
  readonly schema?: TSchema
  /** Default: `application/json` if there is a schema, else the response has no body. */
  readonly mediaType?: string
  /** Other media types of the same response. The caller selects one with `Accept`. */
  readonly otherMediaTypes?: readonly string[]
}
